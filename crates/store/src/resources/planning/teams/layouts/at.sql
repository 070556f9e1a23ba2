-- The columns of teams $1 at time $2.
select distinct on (l.team_id) l.team_id, l.statuses
from board_layouts l
where l.team_id = any($1) and l.occurred_at <= $2
order by l.team_id, l.id desc
