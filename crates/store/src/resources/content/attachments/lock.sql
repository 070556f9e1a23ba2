-- Continues a list of columns (branches.rs, project_columns.sql). Locks, for uploads of several sessions and in this order:
-- project, session, execution and key against changes, and the branch for a change. Joins the user's memberships for the
-- decision on access. `{busy}` says how to treat rows that another transaction has locked.
from unnest($1, $2, $3, $4, $5, $6) with ordinality as w (project, user_id, session, execution, key, branch, place)
cross join lateral (select * from projects where id = w.project for key share {busy}) p
left join lateral (
    select id from sessions where id = w.session and project_id = p.id and closed_at is null for share {busy}
) s on true
left join lateral (
    select id from executions where id = w.execution and session_id = s.id and state = 'running' for share {busy}
) e on true
left join lateral (
    select id
    from api_keys
    where id = w.key and revoked_at is null and s.id is not null and (w.execution is null or e.id is not null)
    for share {busy}
) k on true
-- The condition on the ids always holds. It makes PostgreSQL take the other locks first.
cross join lateral (
    select * from branches
    where project_id = p.id and name = w.branch and coalesce(k.id, e.id, s.id, p.id) is not null
    for no key update {busy}
) b
cross join lateral (select kind, slug from owners where id = p.owner_id offset 0) o
left join lateral (
    select role from project_members where project_id = p.id and user_id = w.user_id offset 0
) pm on true
left join lateral (
    select role from organization_members where organization_id = p.owner_id and user_id = w.user_id offset 0
) om on true
