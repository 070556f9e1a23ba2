select c.id, c.project_id, p.status_id, s.transition_state, p.rank
from team_cards p
join team_statuses s on s.id = p.status_id
join cards c on c.id = p.card_id
where p.sprint_id = $1
order by c.id
for update of c
