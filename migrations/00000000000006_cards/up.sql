-- Cards, what hangs on them, and their history.

create extension if not exists pg_trgm;

create table cards (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    description text not null check (length(description) <= 10000),
    resolution text not null check (length(resolution) <= 10000),
    effort integer not null check (effort >= 0),
    deadline timestamptz,
    is_open boolean not null,
    -- The latest transition to closed; null while the card is open.
    closed_at timestamptz,
    created_by uuid not null references users (id),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- The card's last row in card_history.
    history_head_id uuid not null,
    history_head_sequence bigint not null,
    check (is_open = (closed_at is null))
);
create index cards_project on cards (project_id, id);
create index cards_created_by on cards (created_by);

-- What lists and searches need of a card beside its own columns, written by the transaction that changes the card. Apart
-- from it, because the search index must not be touched by changes of anything but the text.
create table index_cards (
    card_id uuid primary key references cards (id) on delete cascade,
    tag_ids uuid[] not null default '{}',
    user_ids uuid[] not null default '{}',
    team_ids uuid[] not null default '{}',
    team_status_ids uuid[] not null default '{}',
    sprint_ids uuid[] not null default '{}',
    team_statuses jsonb not null default '[]',
    team_placements jsonb not null default '[]',
    -- Name, resolution and description, folded as `domain::search` folds; the whole of them.
    search_document text not null
) with (fillfactor = 80);
create index index_cards_search on index_cards using gin (search_document gin_trgm_ops);

create table card_assignees (
    card_id uuid not null references cards (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    assigned_at timestamptz not null,
    primary key (card_id, user_id)
);
create index card_assignees_user on card_assignees (user_id);

create table card_tags (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    -- The name as `domain::search` folds it: what is unique.
    folded_name text not null,
    description text not null check (length(description) <= 10000),
    color text not null check (color ~ '^#[0-9A-F]{6}$'),
    status text not null check (status in ('active', 'archived')),
    created_at timestamptz not null,
    constraint card_tags_project_name_key unique (project_id, folded_name)
);

create table card_tag_links (
    card_id uuid not null references cards (id) on delete cascade,
    tag_id uuid not null references card_tags (id) on delete cascade,
    primary key (card_id, tag_id)
);
create index card_tag_links_tag on card_tag_links (tag_id);

-- Links to objects of the project's tree. An object lies in Git, so nothing here can refer to it.
create table card_objects (
    card_id uuid not null references cards (id) on delete cascade,
    object_id uuid not null,
    primary key (card_id, object_id)
);

create table card_comments (
    id uuid primary key,
    card_id uuid not null references cards (id) on delete cascade,
    author_id uuid not null references users (id),
    body text not null check (body <> '' and length(body) <= 10000),
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index card_comments_card on card_comments (card_id, id);
create index card_comments_author on card_comments (author_id);

-- History: append-only, in one sequence for the whole service. Rows outlive their card, and go with their project.
create sequence card_history_sequence as bigint minvalue 0;
-- From here on the sequence's last value is the last one drawn.
select setval('card_history_sequence', 0);

-- Draws the next number. Before its first one, a transaction announces by a shared advisory lock, which it holds to its
-- end, that its numbers are greater than the last one drawn by anybody: `card_history_horizon` looks for these.
-- Nobody waits for such a lock. Its key is 2^62 plus that number.
create function next_card_history_sequence() returns bigint language plpgsql as $$
begin
    if coalesce(current_setting('atelier.announced_history', true), '') = '' then
        perform pg_advisory_xact_lock_shared((1::bigint << 62) + s.last_value) from card_history_sequence s;
        perform set_config('atelier.announced_history', 'yes', true);
    end if;
    return nextval('card_history_sequence');
end
$$;

-- The greatest number such that every row up to it has been committed, or never will be. A snapshot that is taken after
-- this answered sees all of these rows. The last value has to be read before the locks are.
create function card_history_horizon() returns bigint language plpgsql as $$
declare
    drawn bigint;
    announced bigint;
begin
    select last_value into drawn from card_history_sequence;
    select min(((classid::bigint << 32) | objid::bigint) - (1::bigint << 62)) into announced
    from pg_locks
    where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 30 = 1
      and database = (select oid from pg_database where datname = current_database());
    return least(drawn, announced);
end
$$;

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
    -- The session whose agent acted; null where a person or a program did.
    actor_session_id uuid,
    -- By field: {"before": ..., "after": ...}.
    changes jsonb not null,
    occurred_at timestamptz not null,
    primary key (card_id, sequence)
);
create index card_history_project on card_history (project_id, sequence);

create function card_history_is_append_only() returns trigger language plpgsql as $$
begin
    -- The one way out: with the project, whose row is gone by the time the deletion gets here.
    if tg_op = 'DELETE' and not exists (select from projects where id = old.project_id) then
        return old;
    end if;
    raise exception 'the card history is append-only';
end
$$;
create trigger card_history_keeps_rows before delete on card_history
    for each row execute function card_history_is_append_only();
create trigger card_history_append_only before update or truncate on card_history
    for each statement execute function card_history_is_append_only();
