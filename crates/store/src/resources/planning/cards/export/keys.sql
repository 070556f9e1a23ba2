-- The keys of cards $1.
select c.id, p.key, c.number
from cards c
join projects p on p.id = c.project_id
where c.id = any($1)
