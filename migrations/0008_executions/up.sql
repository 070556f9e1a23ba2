-- Executions: code objects of a project that run in a sandbox, and the runs that they ask for.

create table executions (
    id uuid primary key,
    session_id uuid not null references sessions (id) on delete cascade,
    object_id uuid not null,
    language text not null check (language in ('javascript', 'python')),
    source bytea,
    input bytea not null,
    state text not null check (state in ('queued', 'running', 'completed', 'failed', 'stopped')),
    failure jsonb,
    output text not null default '' check (octet_length(output) <= 262144),
    truncated boolean not null default false,
    user_id uuid not null references users (id) on delete cascade,
    api_key_id uuid references api_keys (id) on delete cascade,
    process_id uuid not null,
    lease_until timestamptz not null,
    created_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    constraint executions_failed check ((failure is not null) = (state = 'failed')),
    constraint executions_started check (state <> 'running' or started_at is not null),
    constraint executions_ended check ((ended_at is null) = (state in ('queued', 'running'))),
    constraint executions_source check ((source is null) = (ended_at is not null))
);
comment on table executions is 'An execution of a code object. Grows: one row for each execution, of 256 KiB at most.';
comment on column executions.source is 'The code at the time of the request; null once the execution has ended.';
comment on column executions.input is 'The input as JSON: bytes, since text cannot hold every character of it.';
comment on column executions.failure is 'Code and message of the error that ended it.';
comment on column executions.output is 'What it printed, up to 256 KiB.';
comment on column executions.truncated is 'It printed more than is kept.';
comment on column executions.user_id is 'The user who asked for it and for whom it acts.';
comment on column executions.api_key_id is 'The key of the request, whose scopes bound it; null: a browser session.';
comment on column executions.process_id is 'The process that works on it and alone writes for it, until lease_until.';
comment on column executions.lease_until is
    'Renewed by the process. An execution past it is lost and may be ended by others.';
comment on constraint executions_failed on executions is 'Exactly the failed ones have a failure.';
comment on constraint executions_started on executions is 'A running one has started. A stopped one may never have.';
comment on constraint executions_ended on executions is 'An execution has an end exactly if its state is final.';
comment on constraint executions_source on executions is 'The source is kept until the end and no longer.';

create index executions_session on executions (session_id, id);
comment on index executions_session is 'A session''s executions, page by page.';

create index executions_user on executions (user_id);
comment on index executions_user is 'The foreign key.';

create index executions_api_key on executions (api_key_id);
comment on index executions_api_key is 'The foreign key.';

create index executions_in_progress on executions (session_id) where ended_at is null;
comment on index executions_in_progress is 'Counts a session''s executions in progress, which are limited.';

create index executions_lease on executions (lease_until) where ended_at is null;
comment on index executions_lease is 'Finds executions whose lease has expired.';

create table evaluation_runs (
    id uuid primary key,
    execution_id uuid not null references executions (id) on delete cascade,
    created_at timestamptz not null
);
comment on table evaluation_runs is 'A sandbox that an execution asked for. Grows: with executions.';

create index evaluation_runs_execution on evaluation_runs (execution_id);
comment on index evaluation_runs_execution is 'The foreign key.';
