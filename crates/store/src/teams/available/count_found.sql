select count(*) as total
from index_cards i
join cards c on c.id = i.card_id
where i.search_document like $3
  and c.project_id = any($1) and c.is_open
  and not exists (select from team_cards t where t.team_id = $2 and t.card_id = c.id)
