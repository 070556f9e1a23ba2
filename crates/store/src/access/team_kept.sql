-- Team $1 of organization $2 with the roles of user $3, if one of them is among $4 in the team, $5 in the organization, or
-- $6 there and the team is internal. Keeps the team from being deleted.
select
    t.id, t.organization_id, t.name, t.description, t.status, t.visibility, t.time_zone, t.created_at, t.updated_at,
    tm.role as team_role, om.role as organization_role
from teams t
left join team_members tm on tm.team_id = t.id and tm.user_id = $3
left join organization_members om on om.organization_id = t.organization_id and om.user_id = $3
where t.id = $1 and t.organization_id = $2
  and om.role is not null
  and (tm.role = any($4) or om.role = any($5) or (t.visibility = 'internal' and om.role = any($6)))
for key share of t
