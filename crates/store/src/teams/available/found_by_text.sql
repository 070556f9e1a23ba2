select count(*) as total, array_agg(i.card_id) as card_ids
from index_cards i
where i.search_document like $7
  and i.is_open
