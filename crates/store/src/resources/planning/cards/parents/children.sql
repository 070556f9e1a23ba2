-- Locks the children of card $1 in the order of their ids, also those of other projects.
select c.id, c.parent_id is not distinct from $1 as is_near
from cards c
where c.id = any(array(
    select n.id from cards n where n.parent_id = $1
    union all
    select f.card_id from far_parents f where f.parent_id = $1
))
order by c.id
for update of c
