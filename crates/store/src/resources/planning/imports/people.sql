-- Users by their addresses $1, with their memberships of project $2 and of its owner $3.
select
    lower(u.email) as address, u.id,
    exists (select from project_members m where m.project_id = $2 and m.user_id = u.id) as is_member,
    (select m.role from organization_members m where m.organization_id = $3 and m.user_id = u.id)
        as organization_role
from users u
where lower(u.email) = any($1)
