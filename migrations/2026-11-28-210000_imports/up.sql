-- Imports: cards that are brought from other planning tools.

create table imports (
    id uuid primary key,
    organization_id uuid not null references organizations (id) on delete cascade,
    project_id uuid not null references projects (id) on delete cascade,
    user_id uuid not null references users (id),
    api_key_id uuid references api_keys (id) on delete cascade,
    tool text not null check (tool in ('jira', 'linear', 'github', 'trello', 'csv')),
    is_dry_run boolean not null,
    state text not null check (state in ('running', 'finished', 'failed')),
    failure text,
    issues integer not null,
    relations integer not null,
    comments integer not null,
    created integer not null,
    existing integer not null,
    done integer not null,
    total integer not null,
    notes integer not null,
    attempts integer not null default 0,
    created_at timestamptz not null,
    finished_at timestamptz
);
comment on table imports is 'An import of an export of another tool into a project. Rows: a few for each organization.';
comment on column imports.api_key_id is
    'The key that began it, which it needs to go on. Null: it was begun in a browser, and needs the user alone.';
comment on column imports.failure is 'The code of the error for which it can''t go on.';
comment on column imports.issues is 'The issues in the file.';
comment on column imports.relations is 'The relations between them.';
comment on column imports.comments is 'The comments on them.';
comment on column imports.created is 'The cards that it made; of a trial, those that it would make.';
comment on column imports.existing is 'The issues that already have a card.';
comment on column imports.done is 'The steps that are done. They are numbered in import_items from 1.';
comment on column imports.total is 'Number of steps.';
comment on column imports.attempts is
    'Begun and unfinished attempts at the next steps: a process that dies of them must not take the others with it.';
comment on column imports.notes is 'Number of notes. They are numbered in import_notes from 1.';

create index imports_organization on imports (organization_id, id);
comment on index imports_organization is 'An organization''s imports in the order of their beginning; the foreign key.';
create index imports_project on imports (project_id);
comment on index imports_project is 'The foreign key.';
create index imports_user on imports (user_id);
comment on index imports_user is 'The foreign key.';
create index imports_api_key on imports (api_key_id);
comment on index imports_api_key is 'The foreign key.';
create index imports_running on imports (id) where state = 'running';
comment on index imports_running is 'The imports to work on.';

create table import_items (
    import_id uuid not null references imports (id) on delete cascade,
    position integer not null,
    level integer not null,
    item jsonb not null,
    primary key (import_id, position)
);
comment on table import_items is 'A step of an import in progress: a card or a relation. Rows: removed when it is done.';
comment on column import_items.level is 'Steps of one level need nothing of each other.';

create table import_notes (
    import_id uuid not null references imports (id) on delete cascade,
    position integer not null,
    note jsonb not null,
    primary key (import_id, position)
);
comment on table import_notes is 'A value of a file that its card doesn''t have as it is. Rows: one for each such value.';

create table card_sources (
    project_id uuid not null references projects (id) on delete cascade,
    tool text not null,
    source_id text not null,
    card_id uuid not null references cards (id) on delete cascade,
    source_key text not null,
    primary key (project_id, tool, source_id)
);
comment on table card_sources is 'The issue of another tool that a card was made of. Rows: one for each imported card.';
comment on column card_sources.source_id is 'The tool''s lasting id of the issue.';
comment on column card_sources.source_key is 'The issue''s key in the tool, which names the card, too.';

create index card_sources_card on card_sources (card_id);
comment on index card_sources_card is 'The foreign key.';
create index card_sources_key on card_sources (upper(source_key));
comment on index card_sources_key is 'Cards by the keys of their issues.';
