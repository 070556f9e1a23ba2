drop table board_sources;
alter table imports drop column sprints, drop column boards;
