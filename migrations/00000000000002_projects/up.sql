-- Projects and their content: immutable Git objects, branches, and the uncommitted overlay of each branch.

create table projects (
    id uuid primary key,
    owner_id uuid not null references owners (id),
    name text not null check (name <> '' and length(name) <= 255),
    slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 63),
    description text not null check (length(description) <= 10000),
    visibility text not null check (visibility in ('private', 'internal', 'public')),
    -- Staged as the creator's first agent message when a client connects.
    initial_prompt text check (length(initial_prompt) <= 4000),
    default_branch text not null,
    created_by uuid not null references users (id),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint projects_owner_slug_key unique (owner_id, slug)
);
create index projects_created_by on projects (created_by);

create table project_members (
    project_id uuid not null references projects (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    role text not null check (role in ('viewer', 'editor', 'manager')),
    created_at timestamptz not null,
    primary key (project_id, user_id)
);
create index project_members_user on project_members (user_id);

-- Exactly the bytes that Git hashes, without its header; `oid` is Git's own id of them.
create table git_objects (
    project_id uuid not null references projects (id) on delete cascade,
    oid bytea not null check (octet_length(oid) = 20),
    kind text not null check (kind in ('blob', 'tree', 'commit', 'tag')),
    data bytea not null,
    primary key (project_id, oid)
);

create table branches (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    name text not null check (name <> '' and octet_length(name) <= 255),
    -- The commit that the branch is at; null before its first.
    head bytea,
    -- Counts every change of the branch's head or overlay: what a tree's ETag is made of.
    revision bigint not null,
    created_at timestamptz not null,
    constraint branches_project_name_key unique (project_id, name),
    foreign key (project_id, head) references git_objects (project_id, oid)
);

-- What a branch holds that its head does not. `record` is null where the object is deleted; `committed` is what
-- the head holds of it, null where it holds nothing.
create table working_changes (
    branch_id uuid not null references branches (id) on delete cascade,
    object_id uuid not null,
    record jsonb,
    committed jsonb,
    changed_by uuid references users (id) on delete set null,
    changed_at timestamptz not null,
    primary key (branch_id, object_id),
    check (record is not null or committed is not null)
);
create index working_changes_changed_by on working_changes (changed_by);
