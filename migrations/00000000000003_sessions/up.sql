-- Sessions, stored files, and uploads that were applied.

create table sessions (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    branch text not null,
    created_by uuid not null references users (id) on delete cascade,
    -- The key that opened it; null for a browser session.
    api_key_id uuid references api_keys (id) on delete cascade,
    created_at timestamptz not null,
    closed_at timestamptz
);
create index sessions_project on sessions (project_id, id);
create index sessions_created_by on sessions (created_by);
create index sessions_api_key on sessions (api_key_id);

-- A stored file of a project: the bytes lie in the object store under `blob_key`.
create table files (
    project_id uuid not null references projects (id) on delete cascade,
    sha256 bytea not null check (octet_length(sha256) = 32),
    size_bytes bigint not null check (size_bytes >= 0),
    blob_key text not null unique,
    created_at timestamptz not null,
    primary key (project_id, sha256)
);

-- One row for every upload that joined a tree: what makes it join at most once, whoever applies it.
create table applied_uploads (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    session_id uuid not null references sessions (id) on delete cascade,
    -- The uploaded object map that was answered.
    objects jsonb not null,
    applied_at timestamptz not null
);
create index applied_uploads_project on applied_uploads (project_id);
create index applied_uploads_session on applied_uploads (session_id);
