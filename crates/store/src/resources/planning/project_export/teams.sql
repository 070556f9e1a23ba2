-- Teams $1 in the order of their creation.
select
    t.id, t.organization_id, t.name, t.description, t.status, t.visibility, t.time_zone, t.created_at, t.updated_at
from teams t
where t.id = any($1)
order by t.id
