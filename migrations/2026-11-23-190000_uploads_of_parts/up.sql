-- Uploads in pieces whose length is told later, and uploads that are made of others.
-- No service without this step was released.
-- squawk-ignore ban-drop-not-null
alter table resumable_uploads alter column length_bytes drop not null;
alter table resumable_uploads add column is_partial boolean not null default false;
alter table resumable_uploads add column parts uuid [];
comment on column resumable_uploads.length_bytes is 'Null until the client knows it.';
comment on column resumable_uploads.is_partial is 'It becomes a part of another upload and is never attached alone.';
comment on column resumable_uploads.parts is 'The uploads whose bytes it joins, in their order; null if clients send its bytes.';
