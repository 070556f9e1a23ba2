-- Accounts and credentials. Users and organizations share one space of ids and slugs, because either may own
-- a project and `{ownerSlug}/{projectSlug}` must name one project.

create table owners (
    id uuid primary key,
    kind text not null check (kind in ('user', 'organization')),
    slug text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 63),
    -- Most projects that it may own; null means the deployment's default.
    project_limit integer check (project_limit >= 0),
    created_at timestamptz not null,
    unique (id, kind)
);

create table users (
    id uuid primary key references owners (id) on delete cascade,
    email text not null,
    display_name text not null check (display_name <> ''),
    created_at timestamptz not null
);
create unique index users_email_key on users (lower(email));

-- The identity that an OIDC issuer gives a user.
create table user_identities (
    issuer text not null,
    subject text not null,
    user_id uuid not null references users (id) on delete cascade,
    created_at timestamptz not null,
    primary key (issuer, subject)
);
create index user_identities_user on user_identities (user_id);

create table organizations (
    id uuid primary key references owners (id) on delete cascade,
    name text not null check (name <> ''),
    created_at timestamptz not null
);

create table organization_members (
    organization_id uuid not null references organizations (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    role text not null check (role in ('guest', 'member', 'admin', 'owner')),
    created_at timestamptz not null,
    primary key (organization_id, user_id)
);
create index organization_members_user on organization_members (user_id);

create table teams (
    id uuid primary key,
    organization_id uuid not null references organizations (id) on delete cascade,
    name text not null check (name <> ''),
    visibility text not null check (visibility in ('private', 'internal')),
    created_at timestamptz not null
);
create index teams_organization on teams (organization_id);

create table team_members (
    team_id uuid not null references teams (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    role text not null check (role in ('member', 'manager')),
    created_at timestamptz not null,
    primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);

create table api_keys (
    id uuid primary key,
    user_id uuid not null references users (id) on delete cascade,
    name text not null check (name <> ''),
    -- SHA-256 of the whole key; its entropy makes a slow hash needless.
    key_hash bytea not null unique check (octet_length(key_hash) = 32),
    mask text not null,
    scopes text[] not null,
    -- What the key is confined to; null: not confined.
    project_ids uuid[],
    organization_ids uuid[],
    created_at timestamptz not null,
    expires_at timestamptz not null,
    last_used_at timestamptz,
    revoked_at timestamptz
);
create index api_keys_user on api_keys (user_id, id);
