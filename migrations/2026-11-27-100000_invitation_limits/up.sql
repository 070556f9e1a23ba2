-- Limits of invitations: the mails that they caused, and the people whom an invitation does not bring back.

create table sent_invitation_mails (
    id uuid primary key,
    invited_by uuid not null references users (id) on delete cascade,
    organization_id uuid references organizations (id) on delete set null,
    recipient text not null check (length(recipient) <= 254),
    created_at timestamptz not null
);
comment on table sent_invitation_mails is
    'A mail that an invitation caused. It counts also after the invitation''s end. Grows: one for each mail, until it is '
    'a day old.';
comment on column sent_invitation_mails.organization_id is
    'The organization of the invitation; null: it was deleted.';
comment on column sent_invitation_mails.recipient is 'The mailbox: in lower case and without a tag (`+…`).';

create index sent_invitation_mails_created_at on sent_invitation_mails (created_at);
comment on index sent_invitation_mails_created_at is 'The mails of the last day.';

create index sent_invitation_mails_invited_by on sent_invitation_mails (invited_by);
comment on index sent_invitation_mails_invited_by is 'The foreign key.';

create index sent_invitation_mails_organization on sent_invitation_mails (organization_id);
comment on index sent_invitation_mails_organization is 'The foreign key.';

create table invitation_exclusions (
    invitation_id uuid not null references invitations (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    primary key (invitation_id, user_id)
);
comment on table invitation_exclusions is
    'A former member whom an invitation by secret does not bring back: it was open when the membership ended. Rows: one '
    'for each.';

create index invitation_exclusions_user on invitation_exclusions (user_id);
comment on index invitation_exclusions_user is 'The foreign key.';
