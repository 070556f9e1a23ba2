-- Deferred conversions: uploaded files that found no place for their conversion in time, and are converted later.

create table deferred_conversions (
    branch_id uuid not null references branches (id) on delete cascade,
    object_id uuid not null,
    project_id uuid not null references projects (id) on delete cascade,
    session_id uuid not null references sessions (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    upload_id uuid not null,
    name text not null,
    sha256 bytea not null check (octet_length(sha256) = 32),
    attempts integer not null default 0,
    lease_until timestamptz not null default '-infinity',
    created_at timestamptz not null,
    primary key (branch_id, object_id)
);
comment on table deferred_conversions is
    'A file in a tree that is still to be converted. Rows: one for each such file, until it is converted.';
comment on column deferred_conversions.object_id is 'The object that owns the file, and becomes the root of its objects.';
comment on column deferred_conversions.session_id is 'The session of the upload, which is told while it is open.';
comment on column deferred_conversions.user_id is 'The user who uploaded the file. Users get their turns by it.';
comment on column deferred_conversions.upload_id is 'The upload, whose map gets the new objects.';
comment on column deferred_conversions.name is 'The client''s name of the file.';
comment on column deferred_conversions.attempts is
    'Number of processes that have taken it. The last one alone may write its objects.';
comment on column deferred_conversions.lease_until is
    'Renewed by the process that converts it. Past it, any process may take it.';

create index deferred_conversions_user on deferred_conversions (user_id, created_at);
comment on index deferred_conversions_user is 'The foreign key, and a user''s oldest file.';

create index deferred_conversions_project on deferred_conversions (project_id);
comment on index deferred_conversions_project is 'The foreign key.';

create index deferred_conversions_session on deferred_conversions (session_id);
comment on index deferred_conversions_session is 'The foreign key.';
