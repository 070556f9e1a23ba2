-- Projects, and the users whom a project admits.

create table projects (
    id uuid primary key,
    owner_id uuid not null references owners (id),
    name text not null check (name <> '' and length(name) <= 255),
    slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 63),
    description text not null check (length(description) <= 10000),
    visibility text not null check (visibility in ('private', 'internal', 'public')),
    initial_prompt text check (length(initial_prompt) <= 4000),
    initial_prompt_session_id uuid,
    default_branch text not null,
    created_by uuid not null references users (id),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint projects_owner_slug_key unique (owner_id, slug)
);
comment on table projects is 'A workspace: a Git repository, its sessions and its cards. Rows: one for each project.';
comment on column projects.visibility is 'The users who may read it: members, the organization''s, or all.';
comment on column projects.initial_prompt is 'Staged as the creator''s first agent message when a client connects.';
comment on column projects.initial_prompt_session_id is
    'The session that took the initial prompt; null while it is staged.';
comment on column projects.default_branch is 'The name of a row of branches.';

create index projects_created_by on projects (created_by);
comment on index projects_created_by is 'The foreign key.';

create table project_members (
    project_id uuid not null references projects (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    role text not null check (role in ('viewer', 'editor', 'manager')),
    created_at timestamptz not null,
    primary key (project_id, user_id)
);
comment on table project_members is 'A user''s role in a project. Rows: one for each membership.';

create index project_members_user on project_members (user_id);
comment on index project_members_user is 'A user''s projects.';
