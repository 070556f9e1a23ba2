-- Keeps columns $2 of team $1 since time $3.
insert into board_layouts (organization_id, team_id, statuses, occurred_at)
select t.organization_id, t.id, $2::jsonb, $3::timestamptz
from teams t
where t.id = $1
