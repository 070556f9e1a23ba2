-- The cards of projects $1 with number $3 whose key begins with $2 or did so before, all or by openness.
select c.id
from unnest($1::uuid[]) as p (id)
join cards c on c.project_id = p.id and c.number = $3
where exists (select from project_keys k where k.project_id = p.id and k.key = $2)
  and ($4::boolean is null or c.is_open = $4)
order by c.id
