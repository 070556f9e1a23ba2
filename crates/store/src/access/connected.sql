-- The projects to which chains of at most seven relations between cards lead from project $1, with the roles of user $2.
with recursive connected as (
    select $1::uuid as id, 0 as steps
    union
    select r.other_project_id, c.steps + 1
    from connected c
    join related_projects r on r.project_id = c.id
    where c.steps < 7
)
select
    p.id, p.owner_id, p.visibility,
    o.kind as owner_kind,
    pm.role as project_role,
    om.role as organization_role
from projects p
join owners o on o.id = p.owner_id
left join project_members pm on pm.project_id = p.id and pm.user_id = $2
left join organization_members om on om.organization_id = p.owner_id and om.user_id = $2
where p.id <> $1 and p.id in (select c.id from connected c)
