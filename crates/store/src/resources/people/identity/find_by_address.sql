select
    u.id,
    u.disabled_at is null
        and not exists (select from user_identities i where i.user_id = u.id)
        and not exists (select from service_accounts s where s.user_id = u.id) as is_free
from users u
where lower(u.email) = $1
