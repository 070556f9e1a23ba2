select
    object_id,
    committed is null as is_added,
    record is null as is_deleted,
    case when record is null then committed ->> 'name' end as deleted_name,
    case when record is null then committed ->> 'type' end as deleted_type,
    case when record is null then (committed ->> 'parent')::uuid end as deleted_parent
from working_changes
where branch_id = $1
order by object_id
