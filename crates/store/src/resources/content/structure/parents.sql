select object_id, (record ->> 'parent')::uuid as parent
from working_changes
where branch_id = $1
