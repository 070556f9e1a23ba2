select i.card_id
from index_cards i
where i.search_document like $7
  and i.is_open
