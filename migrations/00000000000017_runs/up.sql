-- The conversations of sessions, the runs that go on in them, and what they cost.

alter table sessions
    -- The model of its runs, as the deployment calls it; null: the deployment's first.
    add column model text,
    -- The toolboxes that its runs may use; null: all.
    add column toolboxes text[],
    -- The most that its runs may cost together; null: not bounded.
    add column budget_micro_credits bigint check (budget_micro_credits >= 0);

-- The session in which the project's initial prompt was delivered; null while it is staged.
alter table projects add column initial_prompt_session_id uuid;

create table session_runs (
    id uuid primary key,
    session_id uuid not null references sessions (id) on delete cascade,
    status text not null check (status in ('starting', 'running', 'paused', 'completed', 'failed')),
    -- By whose authority it acts: who prompted it, with which key; null for a browser session.
    user_id uuid not null references users (id) on delete cascade,
    api_key_id uuid references api_keys (id) on delete cascade,
    model text not null,
    -- The process that works on it, for as long as it renews the lease; nobody else writes for it.
    process_id uuid not null,
    lease_until timestamptz not null,
    -- Why it failed: code and message.
    failure jsonb,
    started_at timestamptz not null,
    ended_at timestamptz,
    check ((ended_at is null) = (status in ('starting', 'running')))
);
create unique index session_runs_in_progress on session_runs (session_id) where ended_at is null;
create index session_runs_session on session_runs (session_id, id);
create index session_runs_user on session_runs (user_id);
create index session_runs_api_key on session_runs (api_key_id);
create index session_runs_lease on session_runs (lease_until) where ended_at is null;

create table session_messages (
    session_id uuid not null references sessions (id) on delete cascade,
    sequence bigint not null check (sequence > 0),
    id uuid not null unique,
    run_id uuid references session_runs (id) on delete cascade,
    role text not null check (role in ('user', 'assistant', 'tool')),
    parts jsonb not null,
    created_at timestamptz not null,
    primary key (session_id, sequence)
);
create index session_messages_run on session_messages (run_id);

-- One row for each call that is charged, written with what it answered. It outlives what it names: what was spent was spent.
create table usage_events (
    id uuid primary key,
    -- Who pays: the owner of the project when the call was made.
    owner_id uuid not null,
    user_id uuid not null,
    project_id uuid not null,
    session_id uuid not null,
    run_id uuid,
    provider text not null,
    model text not null,
    -- No token is counted twice: those that came from or went into the cache are not among the prompt's, nor those
    -- of thinking among the completion's.
    prompt_tokens bigint not null check (prompt_tokens >= 0),
    completion_tokens bigint not null check (completion_tokens >= 0),
    reasoning_tokens bigint not null check (reasoning_tokens >= 0),
    cache_write_tokens bigint not null check (cache_write_tokens >= 0),
    cache_read_tokens bigint not null check (cache_read_tokens >= 0),
    micro_credits bigint not null check (micro_credits >= 0),
    -- Whether the call has a price of its own, whatever its tokens.
    priced_per_call boolean not null,
    occurred_at timestamptz not null,
    recorded_at timestamptz not null default now()
);
create index usage_events_session on usage_events (session_id, occurred_at);
create index usage_events_project on usage_events (project_id, occurred_at);
create index usage_events_owner on usage_events (owner_id, occurred_at);
