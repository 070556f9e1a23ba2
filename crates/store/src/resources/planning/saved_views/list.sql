-- The views of user $1 and those that are shared with teams of which it is a member, of project $2 or of any, with the roles of
-- user $1 in these teams.
with known as materialized (
    select v.id from saved_views v where v.owner_id = $1
    union
    select v.id from team_members m join saved_views v on v.team_id = m.team_id where m.user_id = $1
)
select
    v.id, v.owner_id, u.display_name as owner_name, v.project_id, v.team_id, v.name, v.layout, v.definition, v.created_at,
    v.updated_at, t.organization_id, t.visibility, tm.role as team_role, om.role as organization_role
from known k
join saved_views v on v.id = k.id
join users u on u.id = v.owner_id
left join teams t on t.id = v.team_id
left join team_members tm on tm.team_id = t.id and tm.user_id = $1
left join organization_members om on om.organization_id = t.organization_id and om.user_id = $1
where $2::uuid is null or v.project_id = $2
order by v.id
