-- Gives new cards $1 their heads, and what a creation doesn't know: their times, authors, ends and lines.
with settled as (
    select * from unnest(
        $1::uuid[], $2::uuid[], $3::bigint[], $4::timestamptz[], $5::uuid[], $6::timestamptz[], $7::integer[], $8::integer[]
    ) as s (id, head_id, head_sequence, created_at, created_by, closed_at, total, done)
),
indexed as (
    update index_cards i
    set is_open = s.closed_at is null, checklist_total = s.total, checklist_done = s.done
    from settled s
    where i.card_id = s.id
)
update cards c
set
    history_head_id = s.head_id, history_head_sequence = s.head_sequence, created_at = s.created_at,
    created_by = s.created_by, is_open = s.closed_at is null, closed_at = s.closed_at
from settled s
where c.id = s.id
