-- The bytes of all files of the owner of project $1.
select coalesce(sum(f.size_bytes), 0)::bigint as bytes
from projects one
join projects p on p.owner_id = one.owner_id
join files f on f.project_id = p.id
where one.id = $1
