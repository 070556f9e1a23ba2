select
    c.id, c.project_id, c.name, c.is_open, c.created_at, c.updated_at, c.deadline, c.effort, c.history_head_id,
    u.display_name as author_display_name,
    i.tag_ids,
    (
        select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'display_name', a.display_name) order by n), '[]')
        from unnest(i.user_ids) with ordinality as x (id, n)
        join users a on a.id = x.id
    ) as assignees,
    (
        select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color) order by n), '[]')
        from unnest(i.tag_ids) with ordinality as x (id, n)
        join card_tags t on t.id = x.id
    ) as tags
from page c
join index_cards i on i.card_id = c.id
join users u on u.id = c.created_by
order by c.updated_at desc, c.id
