-- Agents: runs of a model in a session, their conversation, the tool servers that they may call, and what they cost.

create table mcp_servers (
    project_id uuid not null references projects (id) on delete cascade,
    name text not null check (name ~ '^[a-z][a-z0-9-]{0,23}$'),
    url text not null check (length(url) <= 2000),
    sealed_headers bytea,
    header_names text[] not null,
    revision uuid not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (project_id, name)
);
comment on table mcp_servers is
    'A server of tools (Model Context Protocol) for a project''s sessions. Rows: at most a few for each project.';
comment on column mcp_servers.name is 'Also the name of the toolbox that holds its tools.';
comment on column mcp_servers.sealed_headers is
    'Headers of each request to it, encrypted with the deployment''s key; null: no headers.';
comment on column mcp_servers.header_names is 'Their names, which may be shown.';
comment on column mcp_servers.revision is 'Replaced by each update: cached tools of another revision are stale.';

create table session_runs (
    id uuid primary key,
    session_id uuid not null references sessions (id) on delete cascade,
    status text not null check (status in ('starting', 'running', 'paused', 'completed', 'failed')),
    user_id uuid not null references users (id) on delete cascade,
    api_key_id uuid references api_keys (id) on delete cascade,
    model text not null,
    process_id uuid not null,
    lease_until timestamptz not null,
    failure jsonb,
    started_at timestamptz not null,
    ended_at timestamptz,
    constraint session_runs_ended check ((ended_at is null) = (status in ('starting', 'running')))
);
comment on table session_runs is 'A run of an agent, begun by a prompt. Grows: one row for each prompt.';
comment on column session_runs.user_id is 'The user who prompted it and for whom it acts.';
comment on column session_runs.api_key_id is
    'The key of the prompt, whose scopes bound the run; null: a browser session.';
comment on column session_runs.process_id is
    'The process that works on it and alone writes for it, until lease_until.';
comment on column session_runs.lease_until is
    'Renewed by the process. A run past it is lost and may be ended by others.';
comment on column session_runs.failure is 'Code and message of the error that ended it.';
comment on constraint session_runs_ended on session_runs is 'A run has an end exactly if its status is final.';

create unique index session_runs_in_progress on session_runs (session_id) where ended_at is null;
comment on index session_runs_in_progress is 'A session has one run in progress at most.';

create index session_runs_session on session_runs (session_id, id);
comment on index session_runs_session is 'A session''s runs, newest last.';

create index session_runs_user on session_runs (user_id);
comment on index session_runs_user is 'The foreign key.';

create index session_runs_api_key on session_runs (api_key_id);
comment on index session_runs_api_key is 'The foreign key.';

create index session_runs_lease on session_runs (lease_until) where ended_at is null;
comment on index session_runs_lease is 'Finds runs whose lease has expired.';

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
comment on table session_messages is
    'A message of a session''s conversation. Grows: with each prompt, each answer and each call of a tool.';
comment on column session_messages.parts is 'Texts, calls of tools and their results, in order.';

create index session_messages_run on session_messages (run_id);
comment on index session_messages_run is 'A run''s messages.';

create table usage_events (
    id uuid primary key,
    owner_id uuid not null,
    user_id uuid not null,
    project_id uuid not null,
    session_id uuid not null,
    run_id uuid,
    provider text not null,
    model text not null,
    prompt_tokens bigint not null check (prompt_tokens >= 0),
    completion_tokens bigint not null check (completion_tokens >= 0),
    reasoning_tokens bigint not null check (reasoning_tokens >= 0),
    cache_write_tokens bigint not null check (cache_write_tokens >= 0),
    cache_read_tokens bigint not null check (cache_read_tokens >= 0),
    micro_credits bigint not null check (micro_credits >= 0),
    priced_per_call boolean not null,
    occurred_at timestamptz not null,
    recorded_at timestamptz not null default now()
);
comment on table usage_events is
    'A charged call of a model, committed with its answer. Without foreign keys: a cost outlives what it was spent on. '
    'Grows: one row for each call; never deleted.';
comment on column usage_events.owner_id is 'The payer: the project''s owner at the time of the call.';
comment on column usage_events.prompt_tokens is
    'Without tokens written to or read from the cache: no token counts twice.';
comment on column usage_events.completion_tokens is 'Without reasoning tokens.';
comment on column usage_events.priced_per_call is 'The call has a fixed price, independent of its tokens.';

create index usage_events_session on usage_events (session_id, occurred_at);
comment on index usage_events_session is 'The cost of a session, and its budget.';

create index usage_events_project on usage_events (project_id, occurred_at);
comment on index usage_events_project is 'The cost of a project in a period.';

create index usage_events_owner on usage_events (owner_id, occurred_at);
comment on index usage_events_owner is 'The cost of an owner in a period.';
