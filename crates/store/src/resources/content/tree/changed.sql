select
    object_id,
    record ->> 'name' as name,
    record ->> 'type' as object_type,
    (record ->> 'parent')::uuid as parent,
    record -> 'file' as file,
    case when record ->> 'kind' in ('geometry', 'assembly') then record #> '{data,definition}' end as definition
from working_changes
where branch_id = $1
