-- A user whom the caller knows: both are in one organization, the caller not as a guest. A service account is known in its
-- own organization alone.
select u.id, u.display_name, o.slug as handle, s.user_id is not null as is_service
from users u
join owners o on o.id = u.id
left join service_accounts s on s.user_id = u.id
where u.id = $1
  and u.disabled_at is null
  and (s.user_id is null or s.organization_id = $3)
  and exists (
      select
      from organization_members theirs
      join organization_members own on own.organization_id = theirs.organization_id
      where theirs.user_id = u.id and own.user_id = $2 and own.role <> 'guest'
  )
