select
    c.id, c.project_id, c.name, c.description, c.resolution, c.effort, c.deadline, c.is_open, c.closed_at,
    c.created_by, c.created_at, c.updated_at, u.display_name as author_display_name,
    c.history_head_id, c.history_head_sequence,
    i.tag_ids, i.user_ids, i.team_ids, i.team_status_ids, i.sprint_ids, i.team_statuses, i.team_placements,
    left(i.search_document, 8192) as search_text
from cards c
join index_cards i on i.card_id = c.id
join users u on u.id = c.created_by
where c.project_id = $1
  and ($2::boolean is null or c.is_open = $2)
  and ($3::uuid is null or c.id in (select l.card_id from card_tag_links l where l.tag_id = $3))
  and ($4::uuid is null or c.id in (select a.card_id from card_assignees a where a.user_id = $4))
  and ($5::text is null or i.search_document like $5)
  and ($6::timestamptz is null or c.updated_at >= $6)
  and ($7::uuid is null or c.id < $7)
order by c.id desc
limit $8
