-- The next cards after $1 whose texts are not in ASCII alone, or have other white space than single blanks, locked.
select c.id, c.name, c.resolution, c.description
from cards c
cross join lateral (select c.name || c.resolution || c.description as document) t
where c.id > $1 and (octet_length(t.document) <> length(t.document) or t.document ~ '[\t\n\v\f\r]|  ')
order by c.id
limit 500
for update of c
