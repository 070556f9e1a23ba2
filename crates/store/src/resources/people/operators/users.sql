select
    u.id, u.email, u.display_name, o.slug, u.created_at, u.disabled_at,
    exists (select from service_accounts s where s.user_id = u.id) as is_service
from users u
join owners o on o.id = u.id
order by u.id
