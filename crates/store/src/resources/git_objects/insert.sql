insert into git_objects (project_id, oid, kind, data)
select $1, new.oid, new.kind, new.data
from unnest($2::bytea[], $3::text[], $4::bytea[]) as new (oid, kind, data)
on conflict do nothing
