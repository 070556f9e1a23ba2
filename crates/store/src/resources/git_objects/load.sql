-- Each is looked up alone, by key: otherwise PostgreSQL may scan all objects of a large project.
select asked.oid, o.data
from unnest($2::bytea[]) as asked (oid)
cross join lateral (
    select data from git_objects where project_id = $1 and git_objects.oid = asked.oid limit 1
) o
