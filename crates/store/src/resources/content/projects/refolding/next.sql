-- The next projects after $1, locked.
select id, name
from projects
where id > $1
order by id
limit 500
for no key update
