-- Sessions: a user's visit to a branch, and the events that its clients follow.

create table sessions (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    branch text not null,
    created_by uuid not null references users (id) on delete cascade,
    api_key_id uuid references api_keys (id) on delete cascade,
    model text,
    toolboxes text[],
    budget_micro_credits bigint check (budget_micro_credits >= 0),
    created_at timestamptz not null,
    closed_at timestamptz
);
comment on table sessions is
    'A user''s work on a branch, with uploads and agent runs. Grows: one row for each session; closed ones stay.';
comment on column sessions.api_key_id is 'The key that opened it; null: a browser session.';
comment on column sessions.model is 'The model of its runs, by the deployment''s name; null: the deployment''s first.';
comment on column sessions.toolboxes is 'The toolboxes that its runs may use; null: all.';
comment on column sessions.budget_micro_credits is 'Maximum cost of its runs together; null: not bounded.';

create index sessions_project on sessions (project_id, id);
comment on index sessions_project is 'A project''s sessions, page by page.';

create index sessions_created_by on sessions (created_by);
comment on index sessions_created_by is 'The foreign key.';

create index sessions_api_key on sessions (api_key_id);
comment on index sessions_api_key is 'The foreign key.';

create table session_events (
    session_id uuid not null references sessions (id) on delete cascade,
    sequence bigint not null check (sequence > 0),
    type text not null,
    data jsonb not null,
    occurred_at timestamptz not null,
    primary key (session_id, sequence)
);
comment on table session_events is
    'An event that the session''s clients are told. Grows: with all activity; deleted after seven days.';
comment on column session_events.sequence is
    'Counts from 1 in each session without gaps, in the order of commits: writers lock the session''s head.';

create index session_events_occurred_at on session_events (occurred_at);
comment on index session_events_occurred_at is 'Finds expired events.';

create table session_event_heads (
    session_id uuid primary key references sessions (id) on delete cascade,
    sequence bigint not null,
    forgotten bigint not null default 0,
    constraint session_event_heads_forgotten check (forgotten <= sequence)
);
comment on table session_event_heads is
    'The end of a session''s events. Apart from sessions, whose rows uploads share and closing changes: '
    'an event waits for neither. Rows: one for each session with events.';
comment on column session_event_heads.sequence is 'Number of the last event.';
comment on column session_event_heads.forgotten is 'Number of the last event that was deleted for its age.';
comment on constraint session_event_heads_forgotten on session_event_heads is 'Only events that happened are deleted.';
