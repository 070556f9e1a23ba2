-- Packages: subtrees that a project publishes at its commits, and that other projects include.

create table packages (
    branch_id uuid not null references branches (id) on delete cascade,
    object_id uuid not null,
    project_id uuid not null references projects (id) on delete cascade,
    description text not null check (length(description) <= 10000),
    commit_hash bytea not null check (octet_length(commit_hash) = 20),
    updated_at timestamptz not null,
    primary key (branch_id, object_id)
);
comment on table packages is 'An object that a branch publishes. Rows: one for each published package.';
comment on column packages.commit_hash is 'The commit at which it was last published: one of its versions.';

create index packages_project on packages (project_id, object_id);
comment on index packages_project is 'A project''s packages by object.';

create table package_versions (
    branch_id uuid not null,
    object_id uuid not null,
    commit_hash bytea not null check (octet_length(commit_hash) = 20),
    project_id uuid not null references projects (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    object_count bigint not null check (object_count > 0),
    published_by uuid references users (id) on delete set null,
    published_at timestamptz not null,
    primary key (branch_id, object_id, commit_hash),
    foreign key (branch_id, object_id) references packages (branch_id, object_id) on delete cascade
);
comment on table package_versions is
    'A commit at which a package was published, to which an include may be pinned. '
    'Grows: one row for each publication; deleted when the package is withdrawn.';
comment on column package_versions.object_count is 'Number of its objects, its root included.';

create index package_versions_project on package_versions (project_id, object_id, commit_hash);
comment on index package_versions_project is 'Resolves an include: project, package and commit.';

create index package_versions_published_by on package_versions (published_by);
comment on index package_versions_published_by is 'The foreign key.';

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
comment on table package_includes is
    'A package version''s include of another project, followed to refuse cycles. '
    'Grows: one row for each include of each version.';
comment on column package_includes.included_project is 'No foreign key: the included project may be deleted.';
