-- The users that are values of fields $1, and user $2 of field $3: by a walk from one user to the next in the index, because
-- there are many more cards.
select f.id as field_id, named.id, coalesce(u.display_name, '') as display_name
from unnest($1::uuid[]) as f (id)
cross join lateral (
    with recursive named as (
        (
            select v.text
            from card_field_values v
            where v.field_id = f.id and v.number is null
            order by v.text
            limit 1
        )
        union all
        select (
            select v.text
            from card_field_values v
            where v.field_id = f.id and v.number is null and v.text > n.text
            order by v.text
            limit 1
        )
        from named n
        where n.text is not null
    )
    select n.text::uuid as id from named n where n.text is not null
    union
    select $2::uuid where f.id = $3::uuid and $2 is not null
) named
left join users u on u.id = named.id
