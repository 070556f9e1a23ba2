insert into organization_members (organization_id, user_id, role, created_at)
select t.organization_id, $2, $3, $4
from teams t
where t.id = $1
on conflict do nothing
