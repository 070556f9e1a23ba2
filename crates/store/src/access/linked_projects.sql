select
    p.id, p.owner_id, p.name, p.slug, p.visibility,
    o.kind as owner_kind,
    pm.role as project_role,
    om.role as organization_role,
    l.linked_at
from team_projects l
join projects p on p.id = l.project_id
join owners o on o.id = p.owner_id
left join project_members pm on pm.project_id = p.id and pm.user_id = $2
left join organization_members om on om.organization_id = p.owner_id and om.user_id = $2
where l.team_id = $1
