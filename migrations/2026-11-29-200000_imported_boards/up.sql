-- Imported boards: teams, columns and sprints that imports of exports of this service made.

alter table imports
    add column boards integer not null default 0,
    add column sprints integer not null default 0;
comment on column imports.boards is 'The boards in the file.';
comment on column imports.sprints is 'The sprints in the file.';

create table board_sources (
    team_id uuid not null references teams (id) on delete cascade,
    source_id uuid not null,
    status_id uuid references team_statuses (id) on delete cascade,
    sprint_id uuid references sprints (id) on delete cascade,
    pending_status text check (pending_status in ('active', 'completed')),
    primary key (team_id, source_id)
);
comment on table board_sources is
    'The team, column or sprint of an export that a part of a board was made of. Rows: one for each such part.';
comment on column board_sources.source_id is 'The id in the export.';
comment on column board_sources.status_id is 'The column; null in the rows of teams and sprints.';
comment on column board_sources.sprint_id is 'The sprint; null in the rows of teams and columns.';
comment on column board_sources.pending_status is
    'The status that the sprint gets once its cards are in it. Null: it has that, or people have changed it.';

create index board_sources_source on board_sources (source_id);
comment on index board_sources_source is 'Teams by their ids in exports.';
create index board_sources_status on board_sources (status_id);
comment on index board_sources_status is 'The foreign key.';
create index board_sources_sprint on board_sources (sprint_id);
comment on index board_sources_sprint is 'The foreign key.';
