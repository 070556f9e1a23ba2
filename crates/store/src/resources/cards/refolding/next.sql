-- The next cards after $1 whose texts are not in ASCII alone, locked.
select c.id, c.name, c.resolution, c.description
from cards c
where c.id > $1 and octet_length(c.name || c.resolution || c.description) <> length(c.name || c.resolution || c.description)
order by c.id
limit 500
for update
