-- The working changes of branch $1 of the objects $2.
select w.object_id, w.record
from unnest($2::uuid[]) as wanted (id)
-- `offset 0` forces a look-up by key. Otherwise PostgreSQL may scan a large branch, if most branches are small.
cross join lateral (
    select * from working_changes w where w.branch_id = $1 and w.object_id = wanted.id offset 0
) w
