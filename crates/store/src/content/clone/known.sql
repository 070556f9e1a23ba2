select asked.oid
from unnest($2::bytea[]) with ordinality as asked (oid, place)
join commits c on c.project_id = $1 and c.oid = asked.oid
order by asked.place
