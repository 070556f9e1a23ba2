with card as (
    update cards
    set name = $2, description = coalesce($3, description), resolution = coalesce($4, resolution),
        effort = $5, deadline = $6, is_open = $7, closed_at = $8, updated_at = $9,
        history_head_id = $10, history_head_sequence = $11
    where id = $1
    returning id
)
update index_cards
set is_open = $7, tag_ids = $12, user_ids = $13, search_document = coalesce($14, search_document)
where card_id = (select id from card)
