insert into working_changes (branch_id, object_id, record, changed_by, changed_at)
select $1, new.id, new.record, $4, $5
from unnest($2::uuid[], $3::jsonb[]) as new (id, record)
