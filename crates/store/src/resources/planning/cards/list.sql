-- A page of the cards of project $1 that match a filter, last changed first. cards.rs writes the other orders, and the
-- first page.
select
    c.id, c.project_id, p.key as project_key, c.number, c.name, c.description, c.resolution, c.effort, c.priority,
    c.type as card_type, c.parent_id, c.fields, c.start_date, c.deadline, c.is_open, c.closed_at,
    c.created_by, c.created_at, c.updated_at, u.display_name as author_display_name,
    c.history_head_id, c.history_head_sequence,
    i.board_heads, i.tag_ids, i.user_ids, i.checklist_total, i.checklist_done, i.team_ids, i.team_status_ids, i.sprint_ids, i.team_statuses, i.team_placements,
    left(i.search_document, 8192) as search_text
from cards c
join index_cards i on i.card_id = c.id
join projects p on p.id = c.project_id
join users u on u.id = c.created_by
where c.project_id = $1
  and ($2::boolean is null or c.is_open = $2)
  and (cardinality($3::uuid[]) = 0 or c.id in (
      select l.card_id
      from card_tag_links l
      where l.tag_id = any($3)
      group by l.card_id
      having count(*) = cardinality($3)
  ))
  and ($4::uuid is null or c.id in (select a.card_id from card_assignees a where a.user_id = $4))
  and ($5::text is null or i.search_document like $5)
  and ($6::timestamptz is null or c.updated_at >= $6)
  and ($7::uuid is null or c.created_by = $7)
  and ($8::timestamptz is null or c.deadline >= $8)
  and ($9::timestamptz is null or c.deadline < $9)
  and ($10::uuid is null or c.id in (select t.card_id from team_cards t where t.team_id = $10))
  and ($11::uuid is null or c.id in (select t.card_id from team_cards t where t.sprint_id = $11))
  and (not $15::boolean or not exists (select from card_assignees a where a.card_id = c.id))
  and (cardinality($17::text[]) = 0 or c.priority = any($17))
  and (cardinality($18::text[]) = 0 or c.type = any($18))
  and (not $19::boolean or c.parent_id is null)
  and ($20::uuid is null or c.parent_id = $20)
  and ($21::boolean is null or $21 = exists (
      select
      from card_relations r
      join cards b on b.id = r.card_id
      where r.other_card_id = c.id and r.kind = 'blocks' and b.is_open
        and (b.project_id = c.project_id or b.project_id = any($22::uuid[]))
  ))
  and (c.updated_at, c.id) < ($13, $14)
order by c.updated_at desc, c.id desc
limit $12
