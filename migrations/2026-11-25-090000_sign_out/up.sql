-- Signing out: browser tokens that end before they expire.

alter table users add column signed_out_at timestamptz;
comment on column users.signed_out_at is
    'Browser tokens that were issued until then are refused; null: the person never signed out everywhere.';

create table ended_browser_tokens (
    token_hash bytea primary key check (octet_length(token_hash) = 32),
    expires_at timestamptz not null
);
comment on table ended_browser_tokens is
    'A browser token that its person ended. Grows: one for each sign-out, until an hour after the token expires.';
comment on column ended_browser_tokens.token_hash is 'SHA-256 of the token without its signature.';

create index ended_browser_tokens_expires_at on ended_browser_tokens (expires_at);
comment on index ended_browser_tokens_expires_at is 'Those that expired, to delete them.';
