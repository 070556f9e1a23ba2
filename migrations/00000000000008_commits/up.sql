-- The graph of commits, so that histories and common ancestors are found without reading Git objects. What a commit
-- says is in `git_objects` alone.

create table commits (
    project_id uuid not null references projects (id) on delete cascade,
    oid bytea not null check (octet_length(oid) = 20),
    -- The commits that it follows, its own line's first.
    parents bytea[] not null,
    -- The order in which they were written, so that every commit comes after its parents.
    number bigint generated always as identity,
    primary key (project_id, oid)
);

-- Until now a project had its first commit at most.
insert into commits (project_id, oid, parents)
select project_id, oid, '{}' from git_objects where kind = 'commit';
