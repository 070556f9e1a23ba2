select p.card_id, p.team_id, p.status_id, s.transition_state, p.sprint_id, p.rank
from team_cards p
join team_statuses s on s.id = p.status_id
where p.card_id = any($1)
order by p.card_id, p.team_id
