-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently invitations_mail_at on invitations (mail_at) where mail_at is not null;
