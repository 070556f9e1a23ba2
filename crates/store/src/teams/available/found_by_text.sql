select i.card_id, i.tag_ids, i.user_ids
from index_cards i
where i.search_document like $7
  and i.is_open
