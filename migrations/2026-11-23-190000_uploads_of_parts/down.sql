comment on column resumable_uploads.length_bytes is null;
alter table resumable_uploads drop column parts;
alter table resumable_uploads drop column is_partial;
delete from resumable_uploads where length_bytes is null;
alter table resumable_uploads alter column length_bytes set not null;
