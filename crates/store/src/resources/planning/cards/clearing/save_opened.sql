with touched as (
    update cards c
    set updated_at = greatest($5, c.updated_at), history_head_id = h.id, history_head_sequence = h.sequence, is_open = h.is_open,
        closed_at = case when h.is_open then null when c.is_open then $5 else c.closed_at end
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::boolean[]) as h (card_id, id, sequence, is_open)
    where c.id = h.card_id
    returning c.id, c.is_open
)
update index_cards i
set is_open = t.is_open
from touched t
where i.card_id = t.id
