select
    u.id, u.display_name, m.role,
    exists (select from service_accounts s where s.user_id = u.id) as is_service
from team_members m
join users u on u.id = m.user_id
where m.team_id = $1
  and u.disabled_at is null
  and ($2::uuid is null or m.user_id > $2)
order by m.user_id
limit $3
