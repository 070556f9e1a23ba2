drop table files;
drop table working_changes;
drop function count_uncommitted_bytes();
drop table branches;
drop table commits;
drop table git_objects;
