-- The objects in their order, up to so many bytes: the first always, as larger ones come one at a time.
select place, kind, data
from (
    select
        asked.place, o.kind, o.data,
        sum(octet_length(o.data)) over (order by asked.place) - octet_length(o.data) as bytes_before
    from unnest($2::bytea[]) with ordinality as asked (oid, place)
    join git_objects o on o.project_id = $1 and o.oid = asked.oid
) as found
where bytes_before < $3
order by place
