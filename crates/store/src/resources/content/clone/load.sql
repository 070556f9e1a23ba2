-- The objects of $2 in their order, until they have $3 bytes: at least the first one. Each is looked up alone, by key:
-- otherwise PostgreSQL may scan all objects of a large project.
select place, kind, data
from (
    select
        asked.place, o.kind, o.data,
        sum(octet_length(o.data)) over (order by asked.place) - octet_length(o.data) as bytes_before
    from unnest($2::bytea[]) with ordinality as asked (oid, place)
    cross join lateral (
        select kind, data from git_objects where project_id = $1 and git_objects.oid = asked.oid limit 1
    ) o
) as found
where bytes_before < $3
order by place
