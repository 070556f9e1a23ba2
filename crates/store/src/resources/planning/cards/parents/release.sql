-- Writes cards $1 without their parents, with their new heads.
update cards c
set parent_id = null, updated_at = greatest($4, c.updated_at), history_head_id = h.id, history_head_sequence = h.sequence
from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as h (card_id, id, sequence)
where c.id = h.card_id
