-- What happened in a session, in order, for those who follow it.

create table session_events (
    session_id uuid not null references sessions (id) on delete cascade,
    -- Counts from 1 in each session, in the order of the commits: whoever appends holds the session's row below.
    sequence bigint not null check (sequence > 0),
    type text not null,
    data jsonb not null,
    occurred_at timestamptz not null,
    primary key (session_id, sequence)
);
create index session_events_occurred_at on session_events (occurred_at);

-- Apart from the session's own row, which uploads share and closing changes: an event must wait for neither.
create table session_event_heads (
    session_id uuid primary key references sessions (id) on delete cascade,
    -- The last event's.
    sequence bigint not null,
    -- Events up to this one have been removed for their age.
    forgotten bigint not null default 0 check (forgotten <= sequence)
);
