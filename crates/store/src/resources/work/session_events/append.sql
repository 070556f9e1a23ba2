-- Appends events of types $4 with data $6 to sessions $3. $1 are the distinct sessions, $2 their numbers of events, and $5 the
-- number of later events of the same session in this statement.
with head as (
    insert into session_event_heads as h (session_id, sequence)
    select new.session_id, new.count from unnest($1::uuid[], $2::bigint[]) as new (session_id, count) order by new.session_id
    on conflict (session_id) do update set sequence = h.sequence + excluded.sequence
    returning session_id, sequence
)
insert into session_events (session_id, sequence, type, data, occurred_at)
select head.session_id, head.sequence - new.behind, new.type, new.data, $7
from unnest($3::uuid[], $4::text[], $5::bigint[], $6::jsonb[]) as new (session_id, type, behind, data)
join head on head.session_id = new.session_id
