-- Card $1 in brief.
select c.project_id, p.key as project_key, c.number, c.name, c.is_open
from cards c
join projects p on p.id = c.project_id
where c.id = $1
