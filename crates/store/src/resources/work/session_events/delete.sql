-- Deletes at most $2 events from before $1, and records the last deleted number of each session.
with old as (
    select session_id, sequence from session_events where occurred_at < $1 order by occurred_at limit $2
), gone as (
    delete from session_events e
    using old o
    where e.session_id = o.session_id and e.sequence = o.sequence
    returning e.session_id, e.sequence
)
update session_event_heads h set forgotten = greatest(h.forgotten, g.sequence)
from (select session_id, max(sequence) as sequence from gone group by session_id) g
where h.session_id = g.session_id
