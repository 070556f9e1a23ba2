select count(*) as total
from cards c
where c.project_id = any($1) and c.is_open
  and c.id not in (select t.card_id from team_cards t where t.team_id = $2)
