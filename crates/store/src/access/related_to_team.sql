-- The projects with cards that are or were related to cards of projects linked to team $1, with the roles of user $2.
select
    p.id, p.owner_id, p.visibility,
    o.kind as owner_kind,
    pm.role as project_role,
    om.role as organization_role
from projects p
join owners o on o.id = p.owner_id
left join project_members pm on pm.project_id = p.id and pm.user_id = $2
left join organization_members om on om.organization_id = p.owner_id and om.user_id = $2
where p.id in (
    select r.other_project_id
    from team_projects l
    join related_projects r on r.project_id = l.project_id
    where l.team_id = $1
)
