-- Writes entries of the audit log. A refusal names a project or an organization only if there is one: anybody can ask for
-- any id. The organization of a project is its owner.
insert into audit_log (
    occurred_at, actor_user_id, actor_key_id, action, result, request_id, project_id, organization_id, target_id,
    attempts
)
select
    entry.occurred_at, entry.actor_user_id, entry.actor_key_id, entry.action, entry.result, entry.request_id,
    case when entry.result = 'OK' then coalesce(entry.project_id, created.id) else named.id end,
    case
        when coalesce(named.id, created.id) is not null then owner.id
        when entry.result = 'OK' then entry.organization_id
        else organization.id
    end,
    entry.target_id, entry.attempts
from unnest(
    $1::timestamptz[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::uuid[], $9::uuid[],
    $10::int[]
) with ordinality as entry (
    occurred_at, actor_user_id, actor_key_id, action, result, request_id, project_id, organization_id, target_id,
    attempts, place
)
left join projects as named on named.id = entry.project_id
left join projects as created on entry.action = 'createProject' and created.id = entry.target_id
left join organizations as owner on owner.id = coalesce(named.owner_id, created.owner_id)
left join organizations as organization on organization.id = entry.organization_id
order by entry.place
