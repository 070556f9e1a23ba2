select asked.oid
from unnest($2::bytea[]) with ordinality as asked (oid, place)
cross join lateral (select from commits where project_id = $1 and commits.oid = asked.oid limit 1) c
order by asked.place
