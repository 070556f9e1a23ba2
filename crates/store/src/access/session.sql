-- Project $1 at branch $3, its session $4, and the key that opened the session, if it is still valid at $5; with what
-- decides the access of user $2.
select
    p.id, p.owner_id, p.name, p.key, p.slug, p.description, p.visibility, p.initial_prompt, p.default_branch,
    p.created_by, p.created_at,
    date_trunc(
        'milliseconds', greatest(p.updated_at, (select max(c.changed_at) from branches c where c.project_id = p.id))
    ) as updated_at,
    o.kind as owner_kind, o.slug as owner_slug,
    b.id as branch_id, b.name as branch_name, b.head as branch_head, b.revision as branch_revision,
    pm.role as project_role,
    om.role as organization_role,
    s.branch as session_branch, s.created_by as session_created_by,
    s.created_at as session_created_at, s.closed_at as session_closed_at,
    s.model, s.toolboxes, s.budget_micro_credits, s.auto_approved,
    s.api_key_id is not null as has_key, k.scopes as key_scopes,
    k.project_ids is not null or k.organization_ids is not null as is_key_confined,
    k.organization_ids as key_organization_ids
from projects p
join owners o on o.id = p.owner_id
left join branches b on b.project_id = p.id and b.name = coalesce($3, p.default_branch)
left join project_members pm on pm.project_id = p.id and pm.user_id = $2
left join organization_members om on om.organization_id = p.owner_id and om.user_id = $2
left join sessions s on s.id = $4 and s.project_id = p.id
left join api_keys k on k.id = s.api_key_id and k.revoked_at is null and k.expires_at > $5
where p.id = $1
