-- The users who can be assigned to a project's cards, each with its greatest role. A reader without a role sees nobody.
with roles as (
    select p.owner_id as user_id, 'manager' as role, false as is_direct
    from projects p
    where p.id = $1
    union all
    select m.user_id, m.role, true
    from project_members m
    where m.project_id = $1
    union all
    select m.user_id, case when m.role in ('admin', 'owner') then 'manager' else 'editor' end, false
    from projects p
    join organization_members m on m.organization_id = p.owner_id
    where p.id = $1
      and (m.role in ('admin', 'owner') or (m.role = 'member' and p.visibility <> 'private'))
)
select
    u.id, u.display_name, o.slug as handle,
    (array['viewer', 'editor', 'manager'])[max(array_position(array['viewer', 'editor', 'manager'], r.role))] as role,
    bool_or(r.is_direct) as is_direct,
    exists (select from service_accounts s where s.user_id = u.id) as is_service
from roles r
join users u on u.id = r.user_id
join owners o on o.id = u.id
where u.disabled_at is null
  and exists (select from roles reader where reader.user_id = $2)
  and ($3::uuid is null or u.id > $3)
group by u.id, o.id
order by u.id
limit $4
