insert into git_objects (project_id, oid, kind, data)
select $1, new.oid, new.kind, new.data
from unnest($2, $3, $4) as new (oid, kind, data)
on conflict do nothing
