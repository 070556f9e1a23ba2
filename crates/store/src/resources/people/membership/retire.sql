with retired as (
    update users u
    set disabled_at = $3
    from service_accounts s
    where s.user_id = u.id and s.organization_id = $1 and u.id = $2 and u.disabled_at is null
    returning u.id
)
update api_keys k
set revoked_at = $3
from retired r
where k.user_id = r.id and k.revoked_at is null
