-- The project of owner $1 with slug $4 at branch $3, with what decides the access of user $2.
select
    p.id, p.owner_id, p.name, p.key, p.slug, p.description, p.visibility, p.initial_prompt, p.default_branch,
    p.created_by, p.created_at,
    date_trunc(
        'milliseconds', greatest(p.updated_at, (select max(c.changed_at) from branches c where c.project_id = p.id))
    ) as updated_at,
    o.kind as owner_kind, o.slug as owner_slug,
    b.id as branch_id, b.name as branch_name, b.head as branch_head, b.revision as branch_revision,
    pm.role as project_role,
    om.role as organization_role
from projects p
join owners o on o.id = p.owner_id
left join branches b on b.project_id = p.id and b.name = coalesce($3, p.default_branch)
left join project_members pm on pm.project_id = p.id and pm.user_id = $2
left join organization_members om on om.organization_id = p.owner_id and om.user_id = $2
where o.slug = $1 and p.slug = $4
