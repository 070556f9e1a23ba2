select u.id, u.email, u.display_name, m.role
from organization_members m
join users u on u.id = m.user_id
where m.organization_id = $1
order by u.id
