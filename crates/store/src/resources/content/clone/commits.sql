select o.oid, o.data
from commits c
join git_objects o on o.project_id = c.project_id and o.oid = c.oid
where c.project_id = $1
