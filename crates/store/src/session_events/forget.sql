-- Removes events from before $1, and notes with their sessions how far.
with gone as (delete from session_events where occurred_at < $1 returning session_id, sequence)
update session_event_heads h set forgotten = g.sequence
from (select session_id, max(sequence) as sequence from gone group by session_id) g
where h.session_id = g.session_id
