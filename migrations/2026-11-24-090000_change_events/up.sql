-- Change events: what changed in teams and projects, for streams. See docs/design/events.md.

create sequence change_event_sequence as bigint minvalue 0;
comment on sequence change_event_sequence is 'The numbers of change events. Its last value is the last number drawn.';
-- Marks 0 as drawn, so that last_value never means a number that is still to be drawn.
select setval('change_event_sequence', 0);

create function next_change_event_sequence() returns bigint language plpgsql as $$
begin
    -- Once in each transaction. The key of the lock is 2^61 plus the last number drawn by any transaction.
    if coalesce(current_setting('atelier.announced_change', true), '') = '' then
        perform pg_advisory_xact_lock_shared((1::bigint << 61) + s.last_value) from change_event_sequence s;
        perform set_config('atelier.announced_change', 'yes', true);
    end if;
    return nextval('change_event_sequence');
end
$$;
comment on function next_change_event_sequence() is
    'Draws the next number. Before its first, a transaction announces a lower bound of its numbers by a shared '
    'advisory lock, which it holds to its end. change_event_horizon reads these locks; nobody waits for them.';

create function change_event_horizon() returns bigint language plpgsql as $$
declare
    drawn bigint;
    announced bigint;
begin
    -- In this order: a transaction that announces between the two reads draws numbers above `drawn`.
    select last_value into drawn from change_event_sequence;
    select min(((classid::bigint << 32) | objid::bigint) - (1::bigint << 61)) into announced
    from pg_locks
    where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 29 = 1
      and database = (select oid from pg_database where datname = current_database());
    return least(drawn, announced);
end
$$;
comment on function change_event_horizon() is
    'The greatest number up to which each event is committed or never will be. A later snapshot sees all of these.';

create table change_events (
    scope_id uuid not null,
    sequence bigint not null,
    type text not null,
    data jsonb not null,
    project_id uuid,
    team_id uuid,
    is_of_cards boolean not null,
    actor_user_id uuid,
    actor_key_id uuid,
    actor_session_id uuid,
    occurred_at timestamptz not null,
    primary key (scope_id, sequence)
);
comment on table change_events is
    'A change of a team or a project, in one row for each stream that has it. '
    'Grows: with all changes; deleted after seven days.';
comment on column change_events.scope_id is
    'The team or project whose stream has the event. No foreign key: a last event outlives its team.';
comment on column change_events.sequence is 'One number for each event of the service, in all of its rows.';
comment on column change_events.project_id is 'The project that a reader must see; null: none.';
comment on column change_events.team_id is 'The team that a reader must see; null: none.';
comment on column change_events.is_of_cards is 'A reader must be permitted to read the cards of the project.';
comment on column change_events.actor_user_id is 'The user who made the change; null: the service or an operator.';
comment on column change_events.actor_key_id is 'The key that was used; null: a browser session.';
comment on column change_events.actor_session_id is 'The session whose agent acted; null: a person or a program did.';

create index change_events_sequence on change_events (sequence);
comment on index change_events_sequence is 'Finds new events of all streams, and the oldest ones.';

create table change_event_retention (
    is_only boolean primary key default true check (is_only),
    deleted_sequence bigint not null
);
comment on table change_event_retention is 'How far change events were deleted for their age. Rows: one.';
comment on column change_event_retention.deleted_sequence is 'Number of the last event that was deleted.';
insert into change_event_retention (deleted_sequence) values (0);
