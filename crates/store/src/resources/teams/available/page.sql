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
