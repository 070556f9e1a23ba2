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
