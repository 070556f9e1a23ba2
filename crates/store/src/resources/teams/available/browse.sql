with newest as (
    select c.id
    from unnest($1::uuid[]) as p (id)
    -- The newest cards of each project alone: of each, at most one page is read.
    cross join lateral (
        select c.id, c.updated_at
        from cards c
        where c.project_id = p.id and c.is_open
          and ($3::timestamptz is null or (c.updated_at <= $3 and (c.updated_at < $3 or c.id > $4)))
          and not exists (select from team_cards t where t.team_id = $2 and t.card_id = c.id)
        order by c.updated_at desc, c.id
        limit $5
    ) c
    order by c.updated_at desc, c.id
    limit $5
),
page as (
    select c.*, i.tag_ids, i.user_ids, i.board_heads
    from newest n
    join cards c on c.id = n.id
    join index_cards i on i.card_id = n.id
)
