select count(*) as total
from found f
where f.card_id not in (select t.card_id from team_cards t where t.team_id = $2)
