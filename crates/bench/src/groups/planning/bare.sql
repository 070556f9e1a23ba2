select
    c.id, c.project_id, c.number, c.name, c.description, c.resolution, c.effort, c.priority, c.type, c.parent_id,
    c.fields, c.start_date, c.deadline, c.is_open, c.closed_at, c.created_at, c.updated_at, c.history_head_id,
    u.display_name as author_display_name, i.checklist_total, i.checklist_done, i.team_placements,
    (
        select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'display_name', a.display_name)), '[]')
        from users a
        where a.id = any(i.user_ids)
    ) as assignees,
    (
        select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color)), '[]')
        from card_tags t
        where t.id = any(i.tag_ids)
    ) as tags
from card_field_values v
join cards c on c.id = v.card_id
join index_cards i on i.card_id = c.id
join users u on u.id = c.created_by
where v.field_id = $1
  and v.item = 1
  and c.project_id = $2
  and true
order by v.number, v.text, v.card_id
limit 51
