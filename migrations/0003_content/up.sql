-- Content: each project's Git repository, the branches of it, and the changes that are not committed yet.
--
-- A file's bytes lie in the object store. The tree holds a pointer to them, by their SHA-256.

create table git_objects (
    project_id uuid not null references projects (id) on delete cascade,
    oid bytea not null check (octet_length(oid) = 20),
    kind text not null check (kind in ('blob', 'tree', 'commit', 'tag')),
    data bytea not null,
    primary key (project_id, oid)
);
comment on table git_objects is
    'An immutable Git object. Grows: with each commit, by the commit, its changed trees and its changed blobs.';
comment on column git_objects.oid is 'Git''s id: the SHA-1 of header and data.';
comment on column git_objects.data is 'The bytes that Git hashes, without its header.';

create table commits (
    project_id uuid not null references projects (id) on delete cascade,
    oid bytea not null check (octet_length(oid) = 20),
    parents bytea[] not null,
    number bigint generated always as identity,
    primary key (project_id, oid)
);
comment on table commits is
    'The graph of commits, walked without reading Git objects. Grows: one row for each commit.';
comment on column commits.parents is 'The parents in Git''s order: the first is the branch''s own line.';
comment on column commits.number is 'Order of insertion. A commit''s number is greater than its parents''.';

create index commits_in_order on commits (project_id, number);
comment on index commits_in_order is 'Newest first: finds the common ancestors of two branches.';

create table branches (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    name text not null check (name <> '' and octet_length(name) <= 255),
    head bytea,
    revision bigint not null,
    uncommitted_bytes bigint not null default 0,
    created_at timestamptz not null,
    constraint branches_project_name_key unique (project_id, name),
    foreign key (project_id, head) references git_objects (project_id, oid)
);
comment on table branches is
    'A line of a project''s content. Its row is locked by each change of its content. Rows: a few for each project.';
comment on column branches.head is 'The branch''s last commit; null before the first.';
comment on column branches.revision is
    'Incremented by each change of head or working changes. Part of a tree''s ETag.';
comment on column branches.uncommitted_bytes is
    'Sum of bytes over the branch''s working changes, kept by count_uncommitted_bytes. At most 256 MiB.';

create table working_changes (
    branch_id uuid not null references branches (id) on delete cascade,
    object_id uuid not null,
    record jsonb,
    committed jsonb,
    bytes bigint not null generated always as (coalesce(octet_length(record::text), 0)) stored,
    changed_by uuid references users (id) on delete set null,
    changed_at timestamptz not null,
    primary key (branch_id, object_id),
    constraint working_changes_one_side check (record is not null or committed is not null)
);
comment on table working_changes is
    'An object that differs from the branch''s head. Grows: one row for each changed object; deleted by the commit.';
comment on column working_changes.record is 'The object as it is now; null: deleted.';
comment on column working_changes.committed is 'The object as the head holds it; null: absent from the head.';
comment on column working_changes.bytes is 'Size of record as JSON; a deletion has none.';
comment on constraint working_changes_one_side on working_changes is
    'An object that is absent from both sides is no change.';

create index working_changes_changed_by on working_changes (changed_by);
comment on index working_changes_changed_by is 'The foreign key.';

create function count_uncommitted_bytes() returns trigger language plpgsql as $$
declare
    change record;
    held bigint;
    most bigint := 0;
begin
    -- A loop of updates by key, not a join: a statement nearly always changes one branch, and a join would double the
    -- cost of an upload's writes.
    if tg_op = 'INSERT' then
        for change in select branch_id, sum(bytes)::bigint as bytes from added group by branch_id loop
            update branches set uncommitted_bytes = uncommitted_bytes + change.bytes
            where id = change.branch_id and change.bytes <> 0
            returning uncommitted_bytes into held;
            most := greatest(most, held);
        end loop;
    elsif tg_op = 'UPDATE' then
        for change in
            select branch_id, sum(bytes)::bigint as bytes
            from (select branch_id, bytes from added union all select branch_id, -bytes from removed) both_states
            group by branch_id
        loop
            update branches set uncommitted_bytes = uncommitted_bytes + change.bytes
            where id = change.branch_id and change.bytes <> 0
            returning case when change.bytes > 0 then uncommitted_bytes end into held;
            most := greatest(most, held);
        end loop;
    else
        for change in select branch_id, sum(bytes)::bigint as bytes from removed group by branch_id loop
            update branches set uncommitted_bytes = uncommitted_bytes - change.bytes
            where id = change.branch_id and change.bytes <> 0;
        end loop;
    end if;
    -- 256 MiB. A branch above the limit may still shrink, and be committed.
    if most > 268435456 then
        raise exception 'a branch would hold too many uncommitted bytes'
            using errcode = 'check_violation', constraint = 'branches_uncommitted_bytes';
    end if;
    return null;
end
$$;
comment on function count_uncommitted_bytes() is
    'Keeps branches.uncommitted_bytes, and refuses to grow it beyond 256 MiB. Waits for nobody: writers hold the row.';

create trigger working_changes_added after insert on working_changes
    referencing new table as added
    for each statement execute function count_uncommitted_bytes();
comment on trigger working_changes_added on working_changes is 'Counts the bytes of inserted rows.';

create trigger working_changes_changed after update on working_changes
    referencing old table as removed new table as added
    for each statement execute function count_uncommitted_bytes();
comment on trigger working_changes_changed on working_changes is 'Counts the difference that updated rows make.';

create trigger working_changes_removed after delete on working_changes
    referencing old table as removed
    for each statement execute function count_uncommitted_bytes();
comment on trigger working_changes_removed on working_changes is
    'Subtracts deleted rows. Does nothing when they go with their branch, whose row is deleted first.';

create table files (
    project_id uuid not null references projects (id) on delete cascade,
    sha256 bytea not null check (octet_length(sha256) = 32),
    size_bytes bigint not null check (size_bytes >= 0),
    blob_key text not null unique,
    created_at timestamptz not null,
    primary key (project_id, sha256)
);
comment on table files is
    'Bytes in the object store, which a project''s objects point to. '
    'Grows: one row for each distinct file of a project.';
comment on column files.blob_key is 'The key of the bytes in the object store.';
