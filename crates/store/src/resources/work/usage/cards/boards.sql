-- The teams on whose boards the runs that changed card $1 placed, moved or removed cards.
select distinct history_board(h.changes) as team_id
from card_history c
join session_runs r
    on r.session_id = c.actor_session_id
    and c.occurred_at >= r.started_at and (r.ended_at is null or c.occurred_at <= r.ended_at)
join card_history h
    on h.actor_session_id = r.session_id
    and h.occurred_at >= r.started_at and (r.ended_at is null or h.occurred_at <= r.ended_at)
where c.card_id = $1 and h.kind in ('placed', 'moved', 'removed')
