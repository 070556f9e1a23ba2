-- The page after ($3, $4) among the $8 cards of each of projects $1 that changed last. Complete if these are all cards.
with newest as materialized (
    select c.id, c.updated_at, p.id as project_id
    from unnest($1::uuid[]) as p (id)
    cross join lateral (
        select c.id, c.updated_at
        from cards c
        where c.project_id = p.id
          and ($2::boolean is null or c.is_open = $2)
          and ($3::timestamptz is null or (c.updated_at, c.id) < ($3, $4))
        order by c.updated_at desc, c.id desc
        limit $8
    ) c
),
horizon as materialized (
    -- All cards that are newer than this are among those that are read.
    select max(oldest) as updated_at
    from (select min(updated_at) as oldest from newest group by project_id having count(*) = $8) o
),
page as (
    select n.id, n.updated_at
    from (
        select n.id, n.updated_at
        from newest n
        where n.updated_at > coalesce((select updated_at from horizon), '-infinity')
        order by n.updated_at desc, n.id desc
    ) n
    -- `offset 0` forces a look-up in this order, which stops when the page is full.
    cross join lateral (
        select from index_cards i where i.card_id = n.id and strpos(i.search_document, $6) > 0 offset 0
    ) i
    order by n.updated_at desc, n.id desc
    limit $5
)
select h.updated_at is null as is_complete, p.id
from horizon h
left join page p on true
order by p.updated_at desc, p.id desc
