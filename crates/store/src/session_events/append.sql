-- Appends events to those of a session, in their order.
with new as (
    select type, data, place from unnest($2, $3) with ordinality as new (type, data, place)
), head as (
    insert into session_event_heads as h (session_id, sequence) select $1, count(*) from new
    on conflict (session_id) do update set sequence = h.sequence + excluded.sequence
    returning sequence
)
insert into session_events (session_id, sequence, type, data, occurred_at)
select $1, head.sequence - (select count(*) from new) + new.place, new.type, new.data, $4
from head, new
