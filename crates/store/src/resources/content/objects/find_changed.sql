-- Those of the objects $2 that the working changes of branch $1 know.
select w.object_id, w.record
from unnest($2) as wanted (id)
-- `offset 0`: each by its key. PostgreSQL may go through all changes of the branch else, if most branches have few.
cross join lateral (
    select * from working_changes w where w.branch_id = $1 and w.object_id = wanted.id offset 0
) w
