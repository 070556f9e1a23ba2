-- Notes that cards of projects $1 and $2 are related. Always in one order, so that no two requests wait for each other.
insert into related_projects (project_id, other_project_id)
values
    (least($1::uuid, $2::uuid), greatest($1::uuid, $2::uuid)),
    (greatest($1::uuid, $2::uuid), least($1::uuid, $2::uuid))
on conflict do nothing
