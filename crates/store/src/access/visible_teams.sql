-- Those of teams $1 that there are or were, with the roles of user $2.
with named as (select unnest($1::uuid[]) as team_id)
select
    t.id, t.organization_id, t.visibility,
    coalesce(tm.role, dm.role) as team_role, om.role as organization_role
from named n
cross join lateral (
    select t.id, t.organization_id, t.visibility from teams t where t.id = n.team_id
    union all
    select d.id, d.organization_id, d.visibility from deleted_teams d where d.id = n.team_id
) t
left join team_members tm on tm.team_id = t.id and tm.user_id = $2
left join deleted_team_members dm on dm.team_id = t.id and dm.user_id = $2
left join organization_members om on om.organization_id = t.organization_id and om.user_id = $2
