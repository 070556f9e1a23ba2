total as materialized (select count(*) as total from found),
nearest as (
    select c.*
    from found f
    -- `offset 0` forces a look-up by key. Otherwise PostgreSQL may overestimate the matches and scan all cards.
    cross join lateral (select c.* from cards c where c.id = f.card_id offset 0) c
    where (select total from total) <= $8
      and ($3::timestamptz is null or (c.updated_at <= $3 and (c.updated_at < $3 or c.id > $4)))
    order by c.updated_at desc, c.id
    limit $5
),
page as (
    select n.*, i.tag_ids, i.user_ids, i.board_heads
    from nearest n
    join index_cards i on i.card_id = n.id
)
select t.total, p.*
from total t
left join (
