drop table resumable_uploads;
