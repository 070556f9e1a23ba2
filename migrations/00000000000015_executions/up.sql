-- Executions of Code objects, and the sandboxes that they ask for.

create table executions (
    id uuid primary key,
    session_id uuid not null references sessions (id) on delete cascade,
    object_id uuid not null,
    language text not null check (language in ('javascript', 'python')),
    -- What is executed, as it was when that was asked for; null once it has ended.
    source bytea,
    -- What it is handed, as JSON: bytes, since text can't hold every character of it.
    input bytea not null,
    state text not null check (state in ('queued', 'running', 'completed', 'failed', 'stopped')),
    -- Why it failed: code and message.
    failure jsonb check ((failure is not null) = (state = 'failed')),
    output text not null default '' check (octet_length(output) <= 262144),
    truncated boolean not null default false,
    -- By whose authority it acts: who asked for it, with which key; null for a browser session.
    user_id uuid not null references users (id) on delete cascade,
    api_key_id uuid references api_keys (id) on delete cascade,
    -- The process that works on it, for as long as it renews the lease; nobody else writes for it.
    process_id uuid not null,
    lease_until timestamptz not null,
    created_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    check ((ended_at is null) = (state in ('queued', 'running'))),
    check ((source is null) = (ended_at is not null)),
    check (state <> 'running' or started_at is not null)
);
create index executions_session on executions (session_id, id);
create index executions_user on executions (user_id);
create index executions_api_key on executions (api_key_id);
create index executions_in_progress on executions (session_id) where ended_at is null;
create index executions_lease on executions (lease_until) where ended_at is null;

create table evaluation_runs (
    id uuid primary key,
    execution_id uuid not null references executions (id) on delete cascade,
    created_at timestamptz not null
);
create index evaluation_runs_execution on evaluation_runs (execution_id);
