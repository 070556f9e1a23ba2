-- Tool approvals: calls of tools that wait for a person's answer.

create table tool_approvals (
    id uuid primary key,
    session_id uuid not null references sessions (id) on delete cascade,
    run_id uuid not null references session_runs (id) on delete cascade,
    call_id text not null,
    tool text not null,
    params jsonb not null,
    effects text[] not null,
    reason text not null check (reason in ('not_auto_approved', 'untrusted_text')),
    status text not null check (status in ('pending', 'approved', 'denied', 'superseded')),
    prompted_by uuid not null references users (id) on delete cascade,
    requested_at timestamptz not null,
    answered_by uuid references users (id) on delete cascade,
    answered_at timestamptz,
    constraint tool_approvals_run_call_key unique (run_id, call_id),
    constraint tool_approvals_answered check ((answered_at is null) = (status = 'pending'))
);
comment on table tool_approvals is
    'A question whether an agent may call a tool. Grows: one row for each call that pauses its run.';
comment on column tool_approvals.call_id is 'The model''s id of the call.';
comment on column tool_approvals.tool is 'The tool, as toolbox and name.';
comment on column tool_approvals.effects is 'The effects of the tool at the time of the call.';
comment on column tool_approvals.reason is
    'not_auto_approved: the session''s opener did not choose its effects; untrusted_text: it sends out after the agent has read untrusted text.';
comment on column tool_approvals.prompted_by is 'The user for whom the run acted.';
comment on column tool_approvals.answered_by is 'The user who answered, and for whom the run acts then; null: superseded.';

comment on constraint tool_approvals_answered on tool_approvals is 'Every question that is not open has its end.';

create unique index tool_approvals_pending on tool_approvals (session_id) where status = 'pending';
comment on index tool_approvals_pending is 'A session has one open question at a time.';

create index tool_approvals_session on tool_approvals (session_id, id);
comment on index tool_approvals_session is 'A session''s questions, page by page.';

create index tool_approvals_prompted_by on tool_approvals (prompted_by);
comment on index tool_approvals_prompted_by is 'The foreign key.';

create index tool_approvals_answered_by on tool_approvals (answered_by);
comment on index tool_approvals_answered_by is 'The foreign key.';

alter table sessions add column auto_approved text[];
comment on column sessions.auto_approved is
    'The effects that tools of its runs have without a question; null: all.';
