-- Cards $1, of project $2 if it is given.
select
    c.id, c.project_id, p.key as project_key, c.number, c.name, c.description, c.resolution, c.effort, c.priority,
    c.type as card_type, c.parent_id, c.fields, c.start_date, c.deadline, c.is_open, c.closed_at,
    c.created_by, c.created_at, c.updated_at, u.display_name as author_display_name,
    c.history_head_id, c.history_head_sequence,
    i.board_heads, i.tag_ids, i.user_ids, i.checklist_total, i.checklist_done, i.team_ids, i.team_status_ids, i.sprint_ids, i.team_statuses, i.team_placements,
    (select f.parent_id from far_parents f where f.card_id = c.id and c.parent_id is null) as far_parent_id,
    (select a.project_id from far_parents f join cards a on a.id = f.parent_id where f.card_id = c.id) as far_parent_project_id,
    left(i.search_document, 8192) as search_text
from cards c
join index_cards i on i.card_id = c.id
join projects p on p.id = c.project_id
join users u on u.id = c.created_by
-- `is true`: no index is used for it. PostgreSQL may go through all cards of the project else.
where c.id = any($1) and ($2::uuid is null or c.project_id = $2) is true
