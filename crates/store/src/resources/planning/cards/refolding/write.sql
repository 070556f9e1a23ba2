update index_cards i
set search_document = n.document
from unnest($1::uuid[], $2::text[]) as n (card_id, document)
where i.card_id = n.card_id and i.search_document <> n.document
