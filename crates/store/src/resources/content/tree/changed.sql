select
    object_id,
    record ->> 'name' as name,
    record ->> 'type' as object_type,
    (record ->> 'parent')::uuid as parent,
    record -> 'file' as file
from working_changes
where branch_id = $1
