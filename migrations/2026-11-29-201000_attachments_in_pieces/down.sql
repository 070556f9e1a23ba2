alter table resumable_uploads drop constraint resumable_uploads_destination;
alter table resumable_uploads drop column attachment;
delete from resumable_uploads where card_id is not null;
alter table resumable_uploads drop column card_id;
comment on column resumable_uploads.session_id is null;
alter table resumable_uploads alter column parent_id set not null;
alter table resumable_uploads alter column connection_id set not null;
alter table resumable_uploads alter column session_id set not null;
comment on table resumable_uploads is
    'An upload in pieces (tus). Rows: one for each upload in progress; deleted when it expires or its session closes.';
comment on column resumable_uploads.user_id is 'Its owner. Any grant of this user in the session may continue it.';
