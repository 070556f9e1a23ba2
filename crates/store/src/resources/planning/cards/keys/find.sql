-- The cards with the keys ($2, $3): of owner $1, or of the owner of project $1. Ids of owners and projects never collide.
-- A key may also be that of the issue that a card was made of. A card of project $1 comes first, then one whose own key
-- it is.
with owner as (
    select coalesce((select p.owner_id from projects p where p.id = $1), $1) as id
)
select n.position, found.id
from unnest($2::text[], $3::bigint[]) with ordinality as n (key, number, position)
cross join owner o
cross join lateral (
    select c.id, c.project_id = $1 as is_near, true as is_own
    from project_keys k
    join cards c on c.project_id = k.project_id and c.number = n.number
    where k.owner_id = o.id and k.key = n.key
    union all
    select s.card_id, s.project_id = $1, false
    from card_sources s
    join projects p on p.id = s.project_id
    where upper(s.source_key) = n.key || '-' || n.number and p.owner_id = o.id
    order by is_near desc, is_own desc, id
    limit 1
) found
