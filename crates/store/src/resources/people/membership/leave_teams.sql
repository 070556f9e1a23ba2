delete from team_members m
using teams t
where t.id = m.team_id and t.organization_id = $1 and m.user_id = $2
returning m.team_id as id
