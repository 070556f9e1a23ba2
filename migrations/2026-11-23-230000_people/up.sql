-- People: accounts that are disabled, users without a person, and invitations to organizations.

alter table users add column disabled_at timestamptz;
comment on column users.disabled_at is 'None of its credentials is accepted since then; null: the account is usable.';

create table service_accounts (
    user_id uuid primary key references users (id) on delete cascade,
    organization_id uuid references organizations (id) on delete set null,
    created_at timestamptz not null
);
comment on table service_accounts is
    'A user without a person, with which machines of an organization act. Rows: one for each.';
comment on column service_accounts.organization_id is
    'The only organization that its keys reach; null: the organization was deleted.';

create index service_accounts_organization on service_accounts (organization_id);
comment on index service_accounts_organization is 'The foreign key.';

create table invitations (
    id uuid primary key,
    organization_id uuid not null references organizations (id) on delete cascade,
    role text not null check (role in ('guest', 'member', 'admin', 'owner')),
    email text check (length(email) <= 254),
    secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
    invited_by uuid not null references users (id) on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    accepted_by uuid references users (id) on delete cascade,
    constraint invitations_expire check (expires_at > created_at)
);
comment on table invitations is
    'A role in an organization that is offered to a person. Rows: one for each that was not revoked.';
comment on column invitations.email is 'Only the account with this address may accept it; null: its bearer.';
comment on column invitations.secret_hash is 'SHA-256 of the secret. Its entropy makes a slow hash needless.';
comment on column invitations.accepted_by is 'The user who joined with it; null: nobody yet.';
comment on constraint invitations_expire on invitations is 'Every invitation has a time in which it can be accepted.';

create index invitations_organization on invitations (organization_id, id);
comment on index invitations_organization is 'An organization''s invitations, page by page.';

create index invitations_email on invitations (lower(email)) where accepted_by is null;
comment on index invitations_email is 'The open invitations of an address.';

create index invitations_invited_by on invitations (invited_by);
comment on index invitations_invited_by is 'The foreign key.';

create index invitations_accepted_by on invitations (accepted_by);
comment on index invitations_accepted_by is 'The foreign key.';
