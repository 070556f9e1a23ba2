select
    u.id, u.display_name, u.email, m.role, m.created_at,
    s.user_id is not null as is_service, s.created_by
from organization_members m
join users u on u.id = m.user_id
left join service_accounts s on s.user_id = u.id
where m.organization_id = $1
  and u.disabled_at is null
  and ($2::uuid is null or m.user_id = $2)
  and ($3::uuid is null or m.user_id > $3)
order by m.user_id
limit $4
