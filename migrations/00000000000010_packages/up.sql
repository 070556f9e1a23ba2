-- Packages that projects offer others to include, each at commits of a branch, and what these include themselves.

create table packages (
    branch_id uuid not null references branches (id) on delete cascade,
    object_id uuid not null,
    project_id uuid not null references projects (id) on delete cascade,
    description text not null check (length(description) <= 10000),
    -- The commit at which it was last published: one of its versions.
    commit_hash bytea not null check (octet_length(commit_hash) = 20),
    updated_at timestamptz not null,
    primary key (branch_id, object_id)
);
create index packages_project on packages (project_id, object_id);

-- Every commit at which a package has been published: what an include may be pinned to. They go when it is withdrawn.
create table package_versions (
    branch_id uuid not null,
    object_id uuid not null,
    commit_hash bytea not null check (octet_length(commit_hash) = 20),
    project_id uuid not null references projects (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    -- Its objects, itself included.
    object_count bigint not null check (object_count > 0),
    published_by uuid references users (id) on delete set null,
    published_at timestamptz not null,
    primary key (branch_id, object_id, commit_hash),
    foreign key (branch_id, object_id) references packages (branch_id, object_id) on delete cascade
);
create index package_versions_project on package_versions (project_id, object_id, commit_hash);
create index package_versions_published_by on package_versions (published_by);

-- What a version includes of other projects, so that nothing comes to include itself. The other project may be gone.
create table package_includes (
    branch_id uuid not null,
    object_id uuid not null,
    commit_hash bytea not null,
    included_project uuid not null,
    included_package uuid not null,
    included_commit bytea not null check (octet_length(included_commit) = 20),
    primary key (branch_id, object_id, commit_hash, included_project, included_package, included_commit),
    foreign key (branch_id, object_id, commit_hash)
        references package_versions (branch_id, object_id, commit_hash) on delete cascade
);
