-- The kinds of the objects of $2 that the project has.
select asked.oid, o.kind
from unnest($2::bytea[]) as asked (oid)
cross join lateral (
    select kind from git_objects where project_id = $1 and git_objects.oid = asked.oid limit 1
) o
