drop table project_members;
drop table projects;
