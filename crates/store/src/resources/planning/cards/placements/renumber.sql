update team_cards p
set rank = n.rank
from unnest($2::uuid[], $3::text[]) as n (card_id, rank)
where p.team_id = $1 and p.card_id = n.card_id
