-- The teams of the organizations of user $2, with the user's roles; with $1 only those that the user is a member of.
select
    t.id, t.organization_id, t.visibility,
    tm.role as team_role, om.role as organization_role
from organization_members om
join teams t on t.organization_id = om.organization_id
left join team_members tm on tm.team_id = t.id and tm.user_id = om.user_id
where om.user_id = $2 and (not $1 or tm.user_id is not null)
