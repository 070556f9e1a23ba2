-- The page after ($3, $4) of the matches in projects $1. Empty, and not complete, if there are $8 matches or more anywhere.
with found as materialized (
    select i.card_id, i.project_id
    from index_cards i
    where string_to_array(i.search_document, null) @> string_to_array($6, null)
      and strpos(i.search_document, $6) > 0
      and ($2::boolean is null or i.is_open = $2)
),
first as materialized (select * from found limit $8),
total as materialized (select count(*) as total from first),
page as (
    select c.id, c.updated_at
    from first f
    -- `offset 0` forces a look-up by key. Otherwise PostgreSQL may overestimate the matches and scan all cards.
    cross join lateral (select c.id, c.updated_at from cards c where c.id = f.card_id offset 0) c
    where ($8::bigint is null or (select total from total) < $8)
      -- A hashed subquery: `any` of a parameter compares each card with all projects. `is true` prevents a join.
      and (f.project_id in (select unnest($1::uuid[]))) is true
      and ($3::timestamptz is null or (c.updated_at, c.id) < ($3, $4))
    order by c.updated_at desc, c.id desc
    limit $5
)
select $8::bigint is null or t.total < $8 as is_complete, p.id
from total t
left join page p on true
order by p.updated_at desc, p.id desc
