select count(*) as cards, coalesce(sum(c.effort), 0)::bigint as effort
from team_cards p
join cards c on c.id = p.card_id
where p.status_id = $1 and p.card_id <> $2
