-- The page of the cards in projects $1 that match a filter: the first of each project, and of these the first.
select c.id
from unnest($1::uuid[]) as p (id)
cross join lateral (
select c.id, c.updated_at, c.deadline
from cards c
join index_cards i on i.card_id = c.id
where c.project_id = p.id
