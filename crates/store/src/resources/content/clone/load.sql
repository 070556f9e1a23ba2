-- The objects in their order, up to so many bytes: the first always, as larger ones come one at a time. Each is looked
-- up by itself: else all of a large project may be read to find some of it.
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
