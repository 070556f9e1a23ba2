drop table applied_uploads;
drop table files;
drop table sessions;
