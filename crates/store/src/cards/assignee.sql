select
    p.owner_id = $1 as is_owner,
    exists (select from project_members m where m.project_id = p.id and m.user_id = $1) as is_member,
    (select m.role from organization_members m where m.organization_id = p.owner_id and m.user_id = $1)
        as organization_role
from projects p
where p.id = $2
