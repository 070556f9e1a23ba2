select
    c.id, c.project_id, c.history_head_id, c.history_head_sequence, i.board_heads, c.is_open, c.effort,
    p.status_id, s.transition_state, p.sprint_id, p.rank
from team_cards p
join team_statuses s on s.id = p.status_id
join cards c on c.id = p.card_id
join index_cards i on i.card_id = c.id
where p.team_id = $1
  and ($2::uuid is null or c.project_id = $2)
  and ($3::uuid is null or p.status_id = $3)
order by c.id
for update of c
