-- Cards have keys, priorities, types, start days, parents, relations and checklists.

alter table projects add column key text;
comment on column projects.key is 'Begins the keys of its cards; null until the service has chosen one.';

create table project_keys (
    owner_id uuid not null references owners (id) on delete cascade,
    key text not null check (key ~ '^[A-Z]{2,6}$'),
    project_id uuid references projects (id) on delete set null,
    kept_until timestamptz,
    primary key (owner_id, key)
);
comment on table project_keys is
    'A key of a project, the present one or an earlier one: both name its cards. Rows: one for each key of each project.';
comment on column project_keys.project_id is 'The project; null: it was deleted.';
comment on column project_keys.kept_until is 'Until then nobody gets the key of a deleted project.';

create index project_keys_project on project_keys (project_id);
comment on index project_keys_project is 'The foreign key.';

create table card_counters (
    project_id uuid primary key references projects (id) on delete cascade,
    last_number bigint not null check (last_number >= 0)
);
comment on table card_counters is
    'The numbers of a project''s cards. Who changes parents of cards locks it, too. Rows: one for each project with cards.';
comment on column card_counters.last_number is 'The number of the last card; numbers of deleted cards are not given again.';

alter table cards
    add column number bigint,
    add column priority text not null default 'none',
    add column type text not null default 'task',
    add column parent_id uuid,
    add column start_date date;
comment on column cards.number is
    'Counts the project''s cards in the order of their creation; null until the service has numbered a card that is older '
    'than numbers.';
comment on column cards.type is 'The kind of work: task, bug, change or another name in lower case.';
comment on column cards.parent_id is 'The card of the same project of which it is a part.';
comment on column cards.start_date is 'The day on which work begins.';

alter table cards
    add constraint cards_priority check (priority in ('none', 'low', 'medium', 'high', 'urgent')) not valid;
comment on constraint cards_priority on cards is 'Those of the crate domain.';
alter table cards add constraint cards_type check (type <> '' and length(type) <= 50) not valid;
comment on constraint cards_type on cards is 'The limit of the crate domain.';
alter table cards
    add constraint cards_parent_id_fkey foreign key (parent_id) references cards (id) on delete set null not valid;
comment on constraint cards_parent_id_fkey on cards is 'The deletion of a card writes the history of its children first.';

create table card_relations (
    card_id uuid not null references cards (id) on delete cascade,
    other_card_id uuid not null references cards (id) on delete cascade,
    kind text not null check (kind in ('blocks', 'relates', 'duplicates')),
    primary key (card_id, other_card_id, kind),
    constraint card_relations_others check (card_id <> other_card_id)
);
comment on table card_relations is
    'A relation between two cards of a project: the first blocks or duplicates the other. Rows: a few for each card.';
comment on column card_relations.kind is 'relates has no direction: the first card has the smaller id.';
comment on constraint card_relations_others on card_relations is 'No card is related to itself.';

create index card_relations_other on card_relations (other_card_id);
comment on index card_relations_other is 'What blocks a card; the foreign key.';

create table card_checklist_items (
    id uuid primary key,
    card_id uuid not null references cards (id) on delete cascade,
    position text not null collate "C" check (position <> ''),
    text text not null check (text <> '' and length(text) <= 1000),
    is_done boolean not null,
    created_at timestamptz not null
);
comment on table card_checklist_items is 'A line of a card''s checklist. Rows: a few for each card.';
comment on column card_checklist_items.position is 'Orders the lines, bytewise.';

create index card_checklist_items_card on card_checklist_items (card_id, position);
comment on index card_checklist_items_card is 'A card''s lines in their order.';

alter table index_cards
    add column checklist_total integer not null default 0,
    add column checklist_done integer not null default 0;
comment on column index_cards.checklist_total is 'The lines of the card''s checklist.';
comment on column index_cards.checklist_done is 'Those of them that are done.';
