-- The teams of organization $1 that imports made of team $2 of an export, the oldest first.
select s.team_id
from board_sources s
join teams t on t.id = s.team_id
where s.source_id = $2 and t.organization_id = $1 and s.status_id is null and s.sprint_id is null
order by s.team_id
