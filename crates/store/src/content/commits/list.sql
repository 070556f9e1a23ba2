with recursive reachable (oid) as (
    select $2
    union
    select parent
    from reachable r
    join commits c on c.project_id = $1 and c.oid = r.oid
    cross join unnest(c.parents) as parent
)
select c.oid, c.number, o.data
from reachable r
join commits c on c.project_id = $1 and c.oid = r.oid
join git_objects o on o.project_id = c.project_id and o.oid = c.oid
where $3 is null or c.number < $3
order by c.number desc
limit $4
