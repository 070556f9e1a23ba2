drop table resumable_uploads;
drop table applied_uploads;
