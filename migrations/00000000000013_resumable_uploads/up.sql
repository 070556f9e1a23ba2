-- Uploads in pieces: how much of each is durable, who writes it now, and what became of it.
create table resumable_uploads (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    -- It belongs to a user in a session, not to a grant: any grant of theirs continues it.
    session_id uuid not null references sessions (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    connection_id text not null,
    parent_id uuid not null,
    name text not null,
    -- What the client says of the file, as it was sent.
    metadata text not null,
    length_bytes bigint not null check (length_bytes >= 0),
    -- Bytes that are durable in the object store.
    offset_bytes bigint not null check (offset_bytes between 0 and length_bytes),
    -- What it takes to go on behind these bytes, in the data plane's own words.
    checkpoint jsonb not null,
    -- The request that writes, and until when it is believed to live unless it says so again.
    writer uuid,
    leased_until timestamptz,
    -- When somebody else last wanted to write.
    contended_at timestamptz,
    -- Why it can never be attached.
    failure jsonb,
    created_at timestamptz not null,
    expires_at timestamptz not null
);
create index resumable_uploads_project on resumable_uploads (project_id);
create index resumable_uploads_session on resumable_uploads (session_id, id);
create index resumable_uploads_user on resumable_uploads (user_id);
create index resumable_uploads_expires_at on resumable_uploads (expires_at);
