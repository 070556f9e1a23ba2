-- Texts: the words in objects of trees, so that objects are found by them.

create table texts (
    id bigint primary key generated always as identity,
    project_id uuid not null references projects (id) on delete cascade,
    sha256 bytea not null check (octet_length(sha256) = 32),
    grams bigint[] not null,
    constraint texts_project_key unique (project_id, sha256)
);
comment on table texts is
    'A distinct text of a project''s objects, by its hash alone. Grows: one row for each text that an object has had.';
comment on column texts.sha256 is 'The hash of the folded text. The text itself stays in the object.';
comment on column texts.grams is 'Its runs of characters as numbers (domain::search::grams), and one for the project.';

create index texts_grams on texts using gin (grams) with (gin_pending_list_limit = 1024);
comment on index texts_grams is
    'Texts of a project that may hold a term. A search reads the pending list, too, so it is kept short.';

create table text_objects (
    text_id bigint not null references texts (id) on delete cascade,
    object_id uuid not null,
    primary key (text_id, object_id)
);
comment on table text_objects is
    'An object that has, or had, a text on some branch. Grows: one row for each text that an object has had.';

create table text_changes (
    id bigint primary key generated always as identity,
    branch_id uuid not null references branches (id) on delete cascade,
    object_ids uuid[],
    after_object_id uuid
);
comment on table text_changes is
    'Objects of a branch whose texts are still to be indexed. Rows: one for each change, for seconds.';
comment on column text_changes.object_ids is 'Null: all objects of the branch.';
comment on column text_changes.after_object_id is 'Of all objects, those up to this id are indexed.';

create index text_changes_branch on text_changes (branch_id);
comment on index text_changes_branch is 'The changes of one branch, which are indexed together; the foreign key.';

create function note_text_changes() returns trigger language plpgsql as $$
begin
    insert into text_changes (branch_id, object_ids)
    select branch_id, array_agg(object_id) from added where record is not null group by branch_id;
    return null;
end
$$;
comment on function note_text_changes() is 'Notes changed objects, whose texts are indexed beside requests.';

create trigger working_changes_texts_added after insert on working_changes
    referencing new table as added
    for each statement execute function note_text_changes();
comment on trigger working_changes_texts_added on working_changes is 'Notes inserted rows.';

create trigger working_changes_texts_changed after update on working_changes
    referencing new table as added
    for each statement execute function note_text_changes();
comment on trigger working_changes_texts_changed on working_changes is 'Notes updated rows.';

-- What there is already. The triggers wait for the writers of before, and note those after.
insert into text_changes (branch_id) select id from branches;
