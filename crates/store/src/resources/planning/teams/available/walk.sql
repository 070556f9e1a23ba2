with horizon as materialized (
    -- All cards that are newer than this are among those that are read.
    select max(oldest.updated_at) as updated_at
    from unnest($1::uuid[]) as p (id)
    cross join lateral (
        select c.updated_at
        from cards c
        where c.project_id = p.id and c.is_open
          and ($3::timestamptz is null or (c.updated_at <= $3 and (c.updated_at < $3 or c.id > $4)))
        order by c.updated_at desc, c.id
        offset $8 - 1
        limit 1
    ) oldest
),
page as (
    select c.*, i.tag_ids, i.user_ids, i.board_heads
    from (
        select c.id, c.updated_at
        from unnest($1::uuid[]) as p (id)
        cross join lateral (
            select c.id, c.updated_at
            from cards c
            where c.project_id = p.id and c.is_open
              and ($3::timestamptz is null or (c.updated_at <= $3 and (c.updated_at < $3 or c.id > $4)))
            order by c.updated_at desc, c.id
            limit $8
        ) c
        where c.updated_at > coalesce((select updated_at from horizon), '-infinity')
        order by c.updated_at desc, c.id
    ) n
    -- `offset 0` forces a look-up in this order, which stops when the page is full.
    cross join lateral (
        select i.tag_ids, i.user_ids, i.board_heads
        from index_cards i
        where i.card_id = n.id and strpos(i.search_document, $6) > 0 and $2 <> all(i.team_ids)
        offset 0
    ) i
    cross join lateral (select c.* from cards c where c.id = n.id offset 0) c
    order by n.updated_at desc, n.id
    limit $5
)
select
    c.id, c.project_id, c.name, c.created_at, c.updated_at, c.deadline, c.effort, c.history_head_id,
    c.history_head_sequence, c.board_heads, c.tag_ids,
    (select u.display_name from users u where u.id = c.created_by) as author_display_name,
    case when c.user_ids = '{}' then '[]' else (
        select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'display_name', a.display_name) order by n), '[]')
        from unnest(c.user_ids) with ordinality as x (id, n)
        join users a on a.id = x.id
    ) end as assignees,
    case when c.tag_ids = '{}' then '[]' else (
        select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color) order by n), '[]')
        from unnest(c.tag_ids) with ordinality as x (id, n)
        join card_tags t on t.id = x.id
    ) end as tags
from page c
order by c.updated_at desc, c.id
