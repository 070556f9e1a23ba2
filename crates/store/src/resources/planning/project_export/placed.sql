-- Those of teams $2 on whose boards cards of project $1 are, with the sprints of these cards.
select distinct k.team_id, k.sprint_id
from team_cards k
join cards c on c.id = k.card_id
where c.project_id = $1 and k.team_id = any($2)
