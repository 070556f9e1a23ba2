-- Each is looked up by itself: for many at once, PostgreSQL would read all of a project that is larger than the others.
select asked.oid, o.data
from unnest($2::bytea[]) as asked (oid)
cross join lateral (
    select data from git_objects where project_id = $1 and git_objects.oid = asked.oid limit 1
) o
