-- The projects linked to team $1, grouped by the way in which user $2 reaches them: each way is decided once.
select
    p.owner_id, p.visibility,
    o.kind as owner_kind,
    p.project_role,
    om.role as organization_role,
    p.ids, p.names, p.keys, p.slugs, p.linked_at
from (
    select
        p.owner_id, p.visibility, pm.role as project_role,
        array_agg(p.id) as ids, array_agg(p.name) as names, array_agg(p.key) as keys, array_agg(p.slug) as slugs,
        array_agg(l.linked_at) as linked_at
    from team_projects l
    join projects p on p.id = l.project_id
    left join project_members pm on pm.project_id = p.id and pm.user_id = $2
    where l.team_id = $1
    group by p.owner_id, p.visibility, pm.role
) p
join owners o on o.id = p.owner_id
left join organization_members om on om.organization_id = p.owner_id and om.user_id = $2
