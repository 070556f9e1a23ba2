-- `collate "C"`: the order is the same in every locale.
select
    name, head, created_at,
    exists (select from working_changes w where w.branch_id = b.id) as has_changes
from branches b
where project_id = $1 and ($2::text is null or name collate "C" > $2)
order by name collate "C"
limit $3
