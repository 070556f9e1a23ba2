-- Saved views of cards.

create table saved_views (
    id uuid primary key,
    owner_id uuid not null references users (id) on delete cascade,
    project_id uuid references projects (id) on delete cascade,
    team_id uuid references teams (id) on delete set null,
    name text not null check (name <> '' and length(name) <= 255),
    layout text not null check (layout in ('board', 'table')),
    definition jsonb not null check (jsonb_typeof(definition) = 'object'),
    created_at timestamptz not null,
    updated_at timestamptz not null
);
comment on table saved_views is 'A filter of cards with a layout, that a person keeps. Rows: at most 100 for each person.';
comment on column saved_views.project_id is 'The project; null: all projects of each reader.';
comment on column saved_views.team_id is 'The team whose members read it, too. The end of the team ends the sharing alone.';
comment on column saved_views.definition is 'Filter, groups, columns and order, in the form of the crate domain.';

create index saved_views_owner on saved_views (owner_id, id);
comment on index saved_views_owner is 'A person''s views; the foreign key.';
create index saved_views_project on saved_views (project_id);
comment on index saved_views_project is 'The foreign key.';
create index saved_views_team on saved_views (team_id);
comment on index saved_views_team is 'The views that are shared with a team; the foreign key.';
