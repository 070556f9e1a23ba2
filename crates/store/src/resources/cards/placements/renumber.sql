update team_cards p
set rank = n.rank
from unnest($2, $3) as n (card_id, rank)
where p.team_id = $1 and p.card_id = n.card_id
