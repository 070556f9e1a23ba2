select i.card_id
from index_cards i
where string_to_array(i.search_document, null) @> string_to_array($6, null)
  and (length($6) = 1 or strpos(i.search_document, $6) > 0)
  and i.is_open
