with card as (
    update cards
    set {fields} is_open = $3, closed_at = $4, updated_at = $5, history_head_id = $6, history_head_sequence = $7
    where id = $1
    returning id
)
update index_cards
set is_open = $3, tag_ids = $8, user_ids = $9, search_document = coalesce($10, search_document)
where card_id = (select id from card)
