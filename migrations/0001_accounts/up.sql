-- Accounts: who may own projects, who belongs to which organization, and the keys that programs act with.
--
-- Users and organizations share one space of ids and slugs. Either may own a project, so `{ownerSlug}/{projectSlug}`
-- names exactly one.

create table owners (
    id uuid primary key,
    kind text not null check (kind in ('user', 'organization')),
    slug text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 63),
    project_limit integer check (project_limit >= 0),
    created_at timestamptz not null
);
comment on table owners is 'A user or an organization. Rows: one for each of them.';
comment on column owners.slug is 'The first part of a project''s path.';
comment on column owners.project_limit is 'Maximum number of owned projects; null: the deployment''s default.';

create table users (
    id uuid primary key references owners (id) on delete cascade,
    email text not null,
    display_name text not null check (display_name <> ''),
    created_at timestamptz not null
);
comment on table users is 'A person with an account. Rows: one for each person.';

create unique index users_email_key on users (lower(email));
comment on index users_email_key is 'An address in any case belongs to one user.';

create table user_identities (
    issuer text not null,
    subject text not null,
    user_id uuid not null references users (id) on delete cascade,
    created_at timestamptz not null,
    primary key (issuer, subject)
);
comment on table user_identities is
    'An identity that an OpenID Connect issuer gives a user. Rows: one or a few for each user.';

create index user_identities_user on user_identities (user_id);
comment on index user_identities_user is 'The foreign key.';

create table organizations (
    id uuid primary key references owners (id) on delete cascade,
    name text not null check (name <> ''),
    created_at timestamptz not null
);
comment on table organizations is 'A group of users that owns projects and teams. Rows: one for each organization.';

create table organization_members (
    organization_id uuid not null references organizations (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    role text not null check (role in ('guest', 'member', 'admin', 'owner')),
    created_at timestamptz not null,
    primary key (organization_id, user_id)
);
comment on table organization_members is 'A user''s role in an organization. Rows: one for each membership.';

create index organization_members_user on organization_members (user_id);
comment on index organization_members_user is 'A user''s organizations: read by each authorisation.';

create table api_keys (
    id uuid primary key,
    user_id uuid not null references users (id) on delete cascade,
    name text not null check (name <> ''),
    key_hash bytea not null unique check (octet_length(key_hash) = 32),
    mask text not null,
    scopes text[] not null,
    project_ids uuid[],
    organization_ids uuid[],
    created_at timestamptz not null,
    expires_at timestamptz not null,
    last_used_at timestamptz,
    revoked_at timestamptz
);
comment on table api_keys is
    'A credential with which a program acts for a user. Grows: one row for each key; revoked keys stay.';
comment on column api_keys.key_hash is 'SHA-256 of the whole key. Its entropy makes a slow hash needless.';
comment on column api_keys.mask is 'The part of the key that may be shown.';
comment on column api_keys.project_ids is 'The only projects that the key reaches; null: not confined.';
comment on column api_keys.organization_ids is
    'The only organizations whose projects and teams the key reaches; null: not confined.';

create index api_keys_user on api_keys (user_id, id);
comment on index api_keys_user is 'A user''s keys, page by page.';
