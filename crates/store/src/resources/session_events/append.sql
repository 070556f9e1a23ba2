-- Appends to the events of sessions $1, to each as many as $2 says: of sessions $3 those of types $4 with data $6, behind which
-- come $5 others of the same session.
with head as (
    insert into session_event_heads as h (session_id, sequence)
    select new.session_id, new.count from unnest($1, $2) as new (session_id, count) order by new.session_id
    on conflict (session_id) do update set sequence = h.sequence + excluded.sequence
    returning session_id, sequence
)
insert into session_events (session_id, sequence, type, data, occurred_at)
select head.session_id, head.sequence - new.behind, new.type, new.data, $7
from unnest($3, $4, $5, $6) as new (session_id, type, behind, data)
join head on head.session_id = new.session_id
