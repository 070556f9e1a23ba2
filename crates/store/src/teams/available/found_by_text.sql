select i.card_id
from index_cards i
where i.search_document like $7 and i.project_id = any($1) and i.is_open
