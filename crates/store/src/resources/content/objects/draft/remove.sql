-- Copies the head's state of each object from its Git file, within the database.
insert into working_changes (branch_id, object_id, record, committed, changed_by, changed_at)
select $1, gone.object_id, null, convert_from(o.data, 'UTF8')::jsonb, $4, $5
from unnest($2::uuid[], $3::bytea[]) as gone (object_id, oid)
cross join lateral (
    select data from git_objects where project_id = $6 and git_objects.oid = gone.oid limit 1
) o
