-- Locks the cards of project $1 that have a parent in another one, and those of others that have a parent in it, by their ids.
select c.id
from cards c
where c.id = any(array(
    select f.card_id
    from far_parents f
    join cards n on n.id = f.card_id
    join cards a on a.id = f.parent_id
    where n.project_id = $1 or a.project_id = $1
))
order by c.id
for update of c
