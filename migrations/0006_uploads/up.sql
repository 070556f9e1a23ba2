-- Uploads: what was attached to a tree, and uploads in pieces that are not complete yet.

create table applied_uploads (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    session_id uuid not null references sessions (id) on delete cascade,
    objects jsonb not null,
    applied_at timestamptz not null
);
comment on table applied_uploads is
    'An upload that was attached to its tree. The primary key makes it happen once. Grows: one row for each upload.';
comment on column applied_uploads.objects is 'The map of uploaded objects, as it was answered.';

create index applied_uploads_project on applied_uploads (project_id);
comment on index applied_uploads_project is 'The foreign key.';

create index applied_uploads_session on applied_uploads (session_id);
comment on index applied_uploads_session is 'The foreign key.';

create table resumable_uploads (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    session_id uuid not null references sessions (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    connection_id text not null,
    parent_id uuid not null,
    name text not null,
    metadata text not null,
    length_bytes bigint not null check (length_bytes >= 0),
    offset_bytes bigint not null,
    checkpoint jsonb not null,
    writer uuid,
    leased_until timestamptz,
    contended_at timestamptz,
    failure jsonb,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    constraint resumable_uploads_offset check (offset_bytes between 0 and length_bytes)
);
comment on table resumable_uploads is
    'An upload in pieces (tus). Rows: one for each upload in progress; deleted when it expires or its session closes.';
comment on column resumable_uploads.user_id is 'Its owner. Any grant of this user in the session may continue it.';
comment on column resumable_uploads.metadata is 'Upload-Metadata as the client sent it.';
comment on column resumable_uploads.offset_bytes is 'Bytes that are durable in the object store.';
comment on column resumable_uploads.checkpoint is 'State from which the data plane continues behind these bytes.';
comment on column resumable_uploads.writer is 'The request that writes, until leased_until unless renewed.';
comment on column resumable_uploads.contended_at is 'Last attempt of another request to write.';
comment on column resumable_uploads.failure is 'Code and message of the error for which it can never be attached.';
comment on constraint resumable_uploads_offset on resumable_uploads is 'No more is durable than was announced.';

create index resumable_uploads_project on resumable_uploads (project_id);
comment on index resumable_uploads_project is 'The foreign key.';

create index resumable_uploads_session on resumable_uploads (session_id, id);
comment on index resumable_uploads_session is 'A session''s uploads in pieces.';

create index resumable_uploads_user on resumable_uploads (user_id);
comment on index resumable_uploads_user is 'The foreign key.';

create index resumable_uploads_expires_at on resumable_uploads (expires_at);
comment on index resumable_uploads_expires_at is 'Finds expired uploads.';
