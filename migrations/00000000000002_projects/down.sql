drop table working_changes;
drop table branches;
drop table git_objects;
drop table project_members;
drop table projects;
