-- The cards that may have stood on the board of team $1 at time $2: those that stand there now, and those that have moved
-- on it since. So the cost is that of both, not of the board's age.
select p.card_id
from team_cards p
where p.team_id = $1
union
select h.card_id
from card_history h
where history_board(h.changes) = $1 and h.kind in ('placed', 'moved', 'removed') and h.occurred_at > $2
