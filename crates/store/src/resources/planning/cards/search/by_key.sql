-- The cards of projects $1 with number $3 whose key begins with $2 or did so before, and those that were made of an issue with
-- that key, all or by openness.
select c.id
from cards c
where c.project_id = any($1)
  and ($4::boolean is null or c.is_open = $4)
  and c.id in (
    select numbered.id
    from project_keys k
    join cards numbered on numbered.project_id = k.project_id and numbered.number = $3
    where k.key = $2 and k.project_id = any($1)
    union all
    select s.card_id
    from card_sources s
    where upper(s.source_key) = $2 || '-' || $3 and s.project_id = any($1)
  )
order by c.id
limit 100
