-- The sprints of teams $1 with both dates that end from $2 on: the $4 nearest to $3.
select
    s.id, s.name, s.start_date, s.end_date,
    greatest(s.created_at, s.started_at, s.completed_at) as revised_at,
    t.id as team_id, t.organization_id, t.name as team_name, t.time_zone
from sprints s
join teams t on t.id = s.team_id
where s.team_id in (select unnest($1::uuid[])) and s.start_date is not null and s.end_date >= $2::timestamptz
order by greatest(s.start_date - $3::timestamptz, $3::timestamptz - s.end_date), s.id
limit $4
