-- The projects of user $1 as owner, member, or member of an organization, with the roles of the same user, $2.
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
select
    p.id, p.owner_id, p.visibility,
    o.kind as owner_kind,
    pm.role as project_role,
    om.role as organization_role
from projects p
join owners o on o.id = p.owner_id
left join project_members pm on pm.project_id = p.id and pm.user_id = $2
left join organization_members om on om.organization_id = p.owner_id and om.user_id = $2
where p.id in (select id from reachable)
