update team_cards p
set status_id = $2, rank = r.rank
from unnest($3::uuid[], $4::text[]) as r (card_id, rank)
where p.team_id = $1 and p.card_id = r.card_id
