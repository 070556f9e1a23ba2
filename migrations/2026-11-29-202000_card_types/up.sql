-- Types of cards: names that projects define, each with a preset for its new cards.

create table card_types (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    name text not null collate "C" check (name <> '' and length(name) <= 50),
    description text not null check (length(description) <= 10000),
    checklist jsonb not null check (jsonb_typeof(checklist) = 'array'),
    constraint card_types_project_name_key unique (project_id, name)
);
comment on table card_types is
    'A type that a project defines for its cards, which have it by its name. Rows: at most 50 for each project.';
comment on column card_types.name is 'In lower case, as cards.type.';
comment on column card_types.description is 'The description of new cards without one.';
comment on column card_types.checklist is 'The lines of the checklist of new cards without one: texts in their order.';
