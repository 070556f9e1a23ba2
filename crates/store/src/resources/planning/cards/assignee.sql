select
    exists (select from project_members m where m.project_id = $2 and m.user_id = $1) as is_member,
    (select m.role from organization_members m where m.organization_id = $3 and m.user_id = $1)
        as organization_role
