delete from project_members m
using projects p
where p.id = m.project_id and p.owner_id = $1 and m.user_id = $2
returning m.project_id as id
