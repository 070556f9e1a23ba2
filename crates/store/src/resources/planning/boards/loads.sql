-- The number and the effort of the cards in each column of team $1's board, as far as they are of projects $2.
select p.status_id, count(*) as cards, coalesce(sum(c.effort), 0)::bigint as effort
from team_cards p
join cards c on c.id = p.card_id
where p.team_id = $1 and c.project_id = any($2)
group by p.status_id
