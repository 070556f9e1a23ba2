-- Locks, for uploads of several sessions and in this order: project, session, execution and key against changes, and the
-- branch for a change. Joins the user's memberships for the decision on access. Rows that another transaction has locked
-- are left out: nobody waits for them.
select
    w.place,
    s.id is not null and (w.execution is null or e.id is not null) and (w.key is null or k.id is not null) as is_live,
    b.uncommitted_bytes,
    p.id, p.owner_id, p.name, p.key, p.slug, p.description, p.visibility, p.initial_prompt, p.default_branch,
    p.created_by, p.created_at,
    date_trunc(
        'milliseconds', greatest(p.updated_at, (select max(c.changed_at) from branches c where c.project_id = p.id))
    ) as updated_at,
    o.kind as owner_kind, o.slug as owner_slug,
    b.id as branch_id, b.name as branch_name, b.head as branch_head, b.revision as branch_revision,
    pm.role as project_role,
    om.role as organization_role
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[])
    with ordinality as w (project, user_id, session, execution, key, branch, place)
cross join lateral (select * from projects where id = w.project for key share skip locked) p
left join lateral (
    select id from sessions where id = w.session and project_id = p.id and closed_at is null for share skip locked
) s on true
left join lateral (
    select id from executions where id = w.execution and session_id = s.id and state = 'running' for share skip locked
) e on true
left join lateral (
    select id
    from api_keys
    where id = w.key and revoked_at is null and s.id is not null and (w.execution is null or e.id is not null)
    for share skip locked
) k on true
-- The condition on the ids always holds. It makes PostgreSQL take the other locks first.
cross join lateral (
    select * from branches
    where project_id = p.id and name = w.branch and coalesce(k.id, e.id, s.id, p.id) is not null
    for no key update skip locked
) b
cross join lateral (select kind, slug from owners where id = p.owner_id offset 0) o
left join lateral (
    select role from project_members where project_id = p.id and user_id = w.user_id offset 0
) pm on true
left join lateral (
    select role from organization_members where organization_id = p.owner_id and user_id = w.user_id offset 0
) om on true
