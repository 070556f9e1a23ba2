with heads as (
    select * from unnest($3::uuid[], $4::uuid[], $5::bigint[]) as h (card_id, id, sequence)
),
touched as (
    update cards c
    set updated_at = greatest($2, c.updated_at), history_head_id = h.id, history_head_sequence = h.sequence
    from heads h
    where c.id = h.card_id
    returning c.id
)
update index_cards i
set tag_ids = array_remove(i.tag_ids, $1)
from touched t
where i.card_id = t.id
