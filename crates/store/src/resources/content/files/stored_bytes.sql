-- The bytes of all files in the projects of owner $1.
select coalesce(sum(f.size_bytes), 0)::bigint as bytes
from projects p
join files f on f.project_id = p.id
where p.owner_id = $1
