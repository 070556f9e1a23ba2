-- The oldest changes of branch $1 that no other process indexes, locked.
select id, object_ids, after_object_id
from text_changes
where branch_id = $1
order by id
limit 100
for update skip locked
