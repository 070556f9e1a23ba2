select count(*) as total
from cards c
where c.project_id = any($1) and c.is_open
  and not exists (select from team_cards t where t.team_id = $2 and t.card_id = c.id)
