select u.id, u.email, u.display_name, m.role
from project_members m
join users u on u.id = m.user_id
where m.project_id = $1
order by u.id
