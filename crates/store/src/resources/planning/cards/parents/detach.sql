-- Ends the far parents of cards $1; with the projects of both.
with ended as (
    delete from far_parents f where f.card_id = any($1) returning f.card_id, f.parent_id
)
select e.card_id, c.project_id, e.parent_id, a.project_id as parent_project_id
from ended e
join cards c on c.id = e.card_id
join cards a on a.id = e.parent_id
order by e.card_id
