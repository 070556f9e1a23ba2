-- The projects of user $1 as owner, member, or member of an organization.
with reachable as (
    select id from projects where owner_id = $1
    union
    select project_id from project_members where user_id = $1
    union
    select p.id
    from organization_members m
    join projects p on p.owner_id = m.organization_id
    where m.user_id = $1
      and (m.role in ('admin', 'owner') or (m.role = 'member' and p.visibility <> 'private'))
)
