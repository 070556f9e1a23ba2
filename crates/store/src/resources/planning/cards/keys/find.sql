-- The cards with the keys ($2, $3): of owner $1, or of the owner of project $1. Ids of owners and projects never collide.
select n.position, c.id
from unnest($2::text[], $3::bigint[]) with ordinality as n (key, number, position)
join project_keys k on k.key = n.key and k.owner_id = coalesce((select p.owner_id from projects p where p.id = $1), $1)
join cards c on c.project_id = k.project_id and c.number = n.number
