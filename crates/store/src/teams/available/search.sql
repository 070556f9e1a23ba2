page as (
    select c.*, f.tag_ids, f.user_ids
    from found f
    -- `offset 0`: card by card, by their key. PostgreSQL may take few for many, and would go through all cards then.
    cross join lateral (select c.* from cards c where c.id = f.card_id offset 0) c
    where ($3::timestamptz is null or (c.updated_at <= $3 and (c.updated_at < $3 or c.id > $4)))
    order by c.updated_at desc, c.id
    limit $5
)
