-- Mails to the addresses of invitations.

alter table invitations
    add column mail_at timestamptz,
    add column mail_attempts integer not null default 0;
comment on column invitations.mail_at is 'The time of the next attempt to mail it; null: none is due.';
comment on column invitations.mail_attempts is 'The attempts to mail it so far.';
