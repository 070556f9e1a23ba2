-- History: each change of each card, in one sequence for the whole service. See docs/design/history.md.

create sequence card_history_sequence as bigint minvalue 0;
comment on sequence card_history_sequence is 'The numbers of history rows. Its last value is the last number drawn.';
-- Marks 0 as drawn, so that last_value never means a number that is still to be drawn.
select setval('card_history_sequence', 0);

create function next_card_history_sequence() returns bigint language plpgsql as $$
begin
    -- Once in each transaction. The key of the lock is 2^62 plus the last number drawn by any transaction.
    if coalesce(current_setting('atelier.announced_history', true), '') = '' then
        perform pg_advisory_xact_lock_shared((1::bigint << 62) + s.last_value) from card_history_sequence s;
        perform set_config('atelier.announced_history', 'yes', true);
    end if;
    return nextval('card_history_sequence');
end
$$;
comment on function next_card_history_sequence() is
    'Draws the next number. Before its first, a transaction announces a lower bound of its numbers by a shared '
    'advisory lock, which it holds to its end. card_history_horizon reads these locks; nobody waits for them.';

create function card_history_horizon() returns bigint language plpgsql as $$
declare
    drawn bigint;
    announced bigint;
begin
    -- In this order: a transaction that announces between the two reads draws numbers above `drawn`.
    select last_value into drawn from card_history_sequence;
    select min(((classid::bigint << 32) | objid::bigint) - (1::bigint << 62)) into announced
    from pg_locks
    where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 30 = 1
      and database = (select oid from pg_database where datname = current_database());
    return least(drawn, announced);
end
$$;
comment on function card_history_horizon() is
    'The greatest number up to which each row is committed or never will be. A later snapshot sees all of these rows.';

create table card_history (
    card_id uuid not null,
    sequence bigint not null default next_card_history_sequence(),
    id uuid not null,
    project_id uuid not null references projects (id) on delete cascade,
    kind text not null check (kind in (
        'created', 'assigned', 'unassigned', 'tagged', 'untagged', 'updated', 'closed', 'reopened', 'placed', 'moved',
        'removed', 'commented', 'linked', 'unlinked', 'deleted'
    )),
    actor_user_id uuid not null,
    actor_key_id uuid,
    actor_session_id uuid,
    changes jsonb not null,
    occurred_at timestamptz not null,
    primary key (card_id, sequence)
);
comment on table card_history is
    'A change of a card. Append-only: a row outlives its card and is deleted with its project. '
    'Grows: one row for each change of each card.';
comment on column card_history.id is 'The change''s public id: the card''s ETag while it is the last.';
comment on column card_history.actor_key_id is 'The key that was used; null: a browser session.';
comment on column card_history.actor_session_id is 'The session whose agent acted; null: a person or a program did.';
comment on column card_history.changes is 'By field: {"before": …, "after": …}.';

create index card_history_project on card_history (project_id, sequence);
comment on index card_history_project is 'The feed of a project''s changes.';

create index card_history_session on card_history (actor_session_id, occurred_at) where actor_session_id is not null;
comment on index card_history_session is 'The cards that a session changed, among which its cost is divided.';

create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name;
end
$$;
comment on function refuse_change() is 'Refuses a statement on an append-only table.';

create function refuse_deletion_before_project() returns trigger language plpgsql as $$
begin
    if exists (select from projects where id = old.project_id) then
        raise exception '% is append-only', tg_table_name;
    end if;
    return old;
end
$$;
comment on function refuse_deletion_before_project() is
    'Lets rows go with their project alone, whose own row is deleted before theirs.';

create trigger card_history_keeps_rows before delete on card_history
    for each row execute function refuse_deletion_before_project();
comment on trigger card_history_keeps_rows on card_history is 'Append-only, except with the project.';

create trigger card_history_append_only before update or truncate on card_history
    for each statement execute function refuse_change();
comment on trigger card_history_append_only on card_history is 'Append-only.';
