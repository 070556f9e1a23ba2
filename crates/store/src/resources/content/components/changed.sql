-- The working changes of branch $1 that may make components: `null` for a deleted object and for a stored file.
select object_id, case when record ->> 'kind' in ('reference', 'code') then null else record::text end as record
from working_changes
where branch_id = $1
