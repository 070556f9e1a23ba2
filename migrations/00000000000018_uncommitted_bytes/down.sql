drop trigger working_changes_removed on working_changes;
drop trigger working_changes_changed on working_changes;
drop trigger working_changes_added on working_changes;
drop function count_uncommitted_bytes();
alter table branches drop column uncommitted_bytes;
alter table working_changes drop column bytes;
