-- Appends an event to those of session $1: $2 is its type, $3 its data, $4 its time.
with head as (
    insert into session_event_heads as h (session_id, sequence) values ($1, 1)
    on conflict (session_id) do update set sequence = h.sequence + 1
    returning sequence
)
insert into session_events (session_id, sequence, type, data, occurred_at) select $1, sequence, $2, $3, $4 from head
