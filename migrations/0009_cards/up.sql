-- Cards: units of planned work in a project, and what is attached to each.

create extension if not exists pg_trgm;
comment on extension pg_trgm is 'Trigram indexes: the search for text in cards.';

create table cards (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    description text not null check (length(description) <= 10000),
    resolution text not null check (length(resolution) <= 10000),
    effort integer not null check (effort >= 0),
    deadline timestamptz,
    is_open boolean not null,
    closed_at timestamptz,
    created_by uuid not null references users (id),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    history_head_id uuid not null,
    history_head_sequence bigint not null,
    constraint cards_closed check (is_open = (closed_at is null))
);
comment on table cards is 'A unit of planned work. Grows: one row for each card.';
comment on column cards.resolution is 'The outcome, in words.';
comment on column cards.effort is 'Estimated points.';
comment on column cards.closed_at is 'Last transition to closed; null while the card is open.';
comment on column cards.history_head_id is
    'The card''s last row in card_history. The card''s ETag, and the precondition of each change.';
comment on column cards.history_head_sequence is 'The sequence of that row.';
comment on constraint cards_closed on cards is 'Exactly the closed cards have a time of closing.';

create index cards_project on cards (project_id, id);
comment on index cards_project is 'A project''s cards, page by page.';

create index cards_created_by on cards (created_by);
comment on index cards_created_by is 'The foreign key.';

create index cards_available on cards (project_id, updated_at desc, id) where is_open;
comment on index cards_available is 'Open cards, last changed first: the order in which a team browses them.';

create table card_assignees (
    card_id uuid not null references cards (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    assigned_at timestamptz not null,
    primary key (card_id, user_id)
);
comment on table card_assignees is 'A user who is to do a card. Rows: a few for each card.';

create index card_assignees_user on card_assignees (user_id);
comment on index card_assignees_user is 'A user''s cards.';

create table card_tags (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    folded_name text not null,
    description text not null check (length(description) <= 10000),
    color text not null check (color ~ '^#[0-9A-F]{6}$'),
    status text not null check (status in ('active', 'archived')),
    created_at timestamptz not null,
    constraint card_tags_project_name_key unique (project_id, folded_name)
);
comment on table card_tags is 'A label for a project''s cards. Rows: one for each label.';
comment on column card_tags.folded_name is 'The name without case and accents, as domain::search folds it: unique.';

create table card_tag_links (
    card_id uuid not null references cards (id) on delete cascade,
    tag_id uuid not null references card_tags (id) on delete cascade,
    primary key (card_id, tag_id)
);
comment on table card_tag_links is 'A label of a card. Rows: a few for each card.';

create index card_tag_links_tag on card_tag_links (tag_id);
comment on index card_tag_links_tag is 'A label''s cards.';

create table card_objects (
    card_id uuid not null references cards (id) on delete cascade,
    object_id uuid not null,
    primary key (card_id, object_id)
);
comment on table card_objects is 'A link from a card to an object of the project''s tree. Rows: a few for each card.';
comment on column card_objects.object_id is 'No foreign key: the object lies in Git.';

create table card_comments (
    id uuid primary key,
    card_id uuid not null references cards (id) on delete cascade,
    author_id uuid not null references users (id),
    body text not null check (body <> '' and length(body) <= 10000),
    created_at timestamptz not null,
    updated_at timestamptz not null
);
comment on table card_comments is 'A comment on a card. Grows: one row for each comment.';

create index card_comments_card on card_comments (card_id, id);
comment on index card_comments_card is 'A card''s comments, page by page.';

create index card_comments_author on card_comments (author_id);
comment on index card_comments_author is 'The foreign key.';

-- Search: a copy of each card in the form in which lists and searches read it.

create function card_letters(document text) returns bigint language plpgsql immutable strict parallel safe as $$
begin
    -- In plpgsql: a function in SQL would be parsed and inlined by each statement that writes a card.
    return (strpos(document, 'a') > 0)::int::bigint | ((strpos(document, 'b') > 0)::int::bigint << 1)
        | ((strpos(document, 'c') > 0)::int::bigint << 2) | ((strpos(document, 'd') > 0)::int::bigint << 3)
        | ((strpos(document, 'e') > 0)::int::bigint << 4) | ((strpos(document, 'f') > 0)::int::bigint << 5)
        | ((strpos(document, 'g') > 0)::int::bigint << 6) | ((strpos(document, 'h') > 0)::int::bigint << 7)
        | ((strpos(document, 'i') > 0)::int::bigint << 8) | ((strpos(document, 'j') > 0)::int::bigint << 9)
        | ((strpos(document, 'k') > 0)::int::bigint << 10) | ((strpos(document, 'l') > 0)::int::bigint << 11)
        | ((strpos(document, 'm') > 0)::int::bigint << 12) | ((strpos(document, 'n') > 0)::int::bigint << 13)
        | ((strpos(document, 'o') > 0)::int::bigint << 14) | ((strpos(document, 'p') > 0)::int::bigint << 15)
        | ((strpos(document, 'q') > 0)::int::bigint << 16) | ((strpos(document, 'r') > 0)::int::bigint << 17)
        | ((strpos(document, 's') > 0)::int::bigint << 18) | ((strpos(document, 't') > 0)::int::bigint << 19)
        | ((strpos(document, 'u') > 0)::int::bigint << 20) | ((strpos(document, 'v') > 0)::int::bigint << 21)
        | ((strpos(document, 'w') > 0)::int::bigint << 22) | ((strpos(document, 'x') > 0)::int::bigint << 23)
        | ((strpos(document, 'y') > 0)::int::bigint << 24) | ((strpos(document, 'z') > 0)::int::bigint << 25)
        | ((strpos(document, '0') > 0)::int::bigint << 26) | ((strpos(document, '1') > 0)::int::bigint << 27)
        | ((strpos(document, '2') > 0)::int::bigint << 28) | ((strpos(document, '3') > 0)::int::bigint << 29)
        | ((strpos(document, '4') > 0)::int::bigint << 30) | ((strpos(document, '5') > 0)::int::bigint << 31)
        | ((strpos(document, '6') > 0)::int::bigint << 32) | ((strpos(document, '7') > 0)::int::bigint << 33)
        | ((strpos(document, '8') > 0)::int::bigint << 34) | ((strpos(document, '9') > 0)::int::bigint << 35);
end
$$;
comment on function card_letters(text) is
    'The letters a to z and digits 0 to 9 of a text: one bit each, in this order.';

create table index_cards (
    card_id uuid primary key references cards (id) on delete cascade,
    project_id uuid not null,
    is_open boolean not null,
    tag_ids uuid[] not null default '{}',
    user_ids uuid[] not null default '{}',
    team_ids uuid[] not null default '{}',
    team_status_ids uuid[] not null default '{}',
    sprint_ids uuid[] not null default '{}',
    team_statuses jsonb not null default '[]',
    team_placements jsonb not null default '[]',
    search_document text not null,
    letters bigint not null generated always as (card_letters(search_document)) stored
) with (fillfactor = 80);
comment on table index_cards is
    'A card as lists and searches read it, written by the transaction that changes the card. '
    'Apart from cards, so that the text''s index is updated with the text alone. Grows: one row for each card.';
comment on column index_cards.project_id is 'Copied from the card: searches count without reading cards.';
comment on column index_cards.is_open is 'Copied from the card: searches count without reading cards.';
comment on column index_cards.search_document is
    'Name, resolution and description without case and accents, as domain::search folds them.';
comment on column index_cards.letters is 'The letters of search_document.';

create index index_cards_search on index_cards using gin (search_document gin_trgm_ops);
comment on index index_cards_search is 'Finds texts of three letters or more.';

create index index_cards_letters on index_cards using gin (string_to_array(search_document, null));
comment on index index_cards_letters is 'Finds texts of one or two letters, which have no trigrams.';

create index index_cards_open on index_cards (project_id, letters) where is_open;
comment on index index_cards_open is
    'Counts open cards, all or by letter, without reading the table. The trigram index must recheck each row.';
