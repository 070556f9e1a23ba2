select
    name, head, created_at,
    exists (select from working_changes w where w.branch_id = b.id) as has_changes
from branches b
where id = $1
