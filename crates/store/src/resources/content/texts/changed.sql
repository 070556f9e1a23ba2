-- The next working changes of branch $1 after $2 that hold an object.
select object_id
from working_changes
where branch_id = $1 and object_id > $2 and record is not null
order by object_id
limit $3
