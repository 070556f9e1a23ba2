select
    u.id, u.email, u.display_name, o.slug, u.created_at, u.disabled_at,
    exists (select from service_accounts s where s.user_id = u.id) as is_service
from users u
join owners o on o.id = u.id
where $1::text is null or strpos(lower(u.display_name), $1) > 0 or strpos(lower(u.email), $1) > 0
order by u.id
