-- View $1, with the roles of user $2 in the team with which it is shared.
select
    v.id, v.owner_id, u.display_name as owner_name, v.project_id, v.team_id, v.name, v.layout, v.definition, v.created_at,
    v.updated_at, t.organization_id, t.visibility, tm.role as team_role, om.role as organization_role
from saved_views v
join users u on u.id = v.owner_id
left join teams t on t.id = v.team_id
left join team_members tm on tm.team_id = t.id and tm.user_id = $2
left join organization_members om on om.organization_id = t.organization_id and om.user_id = $2
where v.id = $1
