-- The key of the project, and the number, of each of cards $1. Some may be deleted; those are absent that a service
-- deleted that kept nothing of them.
select c.id, p.key as project_key, c.number
from (
    select id, project_id, number from cards where id = any($1)
    union all
    select id, project_id, number from deleted_cards where id = any($1)
) c
join projects p on p.id = c.project_id
