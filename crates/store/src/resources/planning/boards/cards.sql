-- The cards on the board of team $1, as far as they are of projects $2 and pass the filter; cards of projects $7 can block
-- them. `materialized` makes PostgreSQL
-- read the places first and look up each card. The plan stays linear even if the estimate of cards is wrong.
with places as materialized (
    select p.card_id, p.status_id, p.sprint_id, p.rank
    from team_cards p
    where p.team_id = $1 and (not $3 or p.sprint_id is null) and ($4::uuid is null or p.sprint_id = $4)
)
select
    p.status_id, p.sprint_id, p.rank, c.id, c.number, c.name, c.project_id, c.is_open, c.effort,
    c.priority, c.type as card_type, c.parent_id, c.deadline,
    exists (
        select
        from card_relations r
        join cards b on b.id = r.card_id
        where r.other_card_id = c.id and r.kind = 'blocks' and b.is_open
          and (b.project_id = c.project_id or b.project_id = any($7::uuid[]))
    ) as is_blocked,
    c.history_head_id, c.history_head_sequence, i.board_heads, i.user_ids, i.tag_ids, i.checklist_total, i.checklist_done
from places p
join cards c on c.id = p.card_id
join index_cards i on i.card_id = p.card_id
where c.project_id = any($2)
  and ($5::uuid is null or c.project_id = $5)
  and ($6::uuid is null or $6 = any(i.user_ids))
order by p.status_id, p.rank
