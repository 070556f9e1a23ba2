-- Progress of folding names of projects again: white space is folded now, also in texts of cards.

insert into card_refolds (version, after_card_id) values (3, '00000000-0000-0000-0000-000000000000');

create table project_refolds (
    version bigint primary key,
    after_project_id uuid not null,
    finished_at timestamptz
);
comment on table project_refolds is
    'A new way of folding the names of projects, and how far older names follow it. Rows: one for each way.';
comment on column project_refolds.after_project_id is 'Projects up to this id are folded.';
comment on column project_refolds.finished_at is 'Null until all projects are folded.';

insert into project_refolds (version, after_project_id) values (3, '00000000-0000-0000-0000-000000000000');
