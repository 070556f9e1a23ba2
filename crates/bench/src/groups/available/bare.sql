with found as (
    select c.*, i.tag_ids, i.user_ids
    from index_cards i
    join cards c on c.id = i.card_id
    where i.project_id = any($1::uuid[])
      and i.is_open
      and i.search_document like $2
      and not exists (select from team_cards t where t.team_id = $3::uuid and t.card_id = i.card_id)
)
select
    (select count(*) from found) as total,
    c.id, c.project_id, c.name, c.created_at, c.updated_at, c.deadline, c.effort, c.history_head_id, c.tag_ids,
    (select u.display_name from users u where u.id = c.created_by) as author_display_name,
    (
        select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'display_name', a.display_name)), '[]')
        from users a
        where a.id = any(c.user_ids)
    ) as assignees,
    (
        select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color)), '[]')
        from card_tags t
        where t.id = any(c.tag_ids)
    ) as tags
from found c
order by c.updated_at desc, c.id
limit 50
