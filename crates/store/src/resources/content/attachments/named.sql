-- The changed objects of branch $1 with one of the names $2 that no upload has made.
select object_id
from working_changes
where
    branch_id = $1
    and record ->> 'name' = any($2)
    and not record ?| array['kind', 'file', 'include']
