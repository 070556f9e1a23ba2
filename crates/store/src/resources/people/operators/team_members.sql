select u.id, u.email, u.display_name, m.role
from team_members m
join users u on u.id = m.user_id
where m.team_id = $1
order by u.id
