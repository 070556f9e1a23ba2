insert into working_changes (branch_id, object_id, record, committed, changed_by, changed_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (branch_id, object_id) do update
set record = excluded.record, changed_by = excluded.changed_by, changed_at = excluded.changed_at
