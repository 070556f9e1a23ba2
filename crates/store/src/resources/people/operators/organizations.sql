select r.id, r.name, o.slug, r.created_at
from organizations r
join owners o on o.id = r.id
order by r.id
