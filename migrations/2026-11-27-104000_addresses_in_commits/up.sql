-- Addresses in commits: everybody who reads a project reads them.

alter table users add column shows_email_in_commits boolean not null default false;
comment on column users.shows_email_in_commits is
    'True if commits have the user''s own address; else one that stands for the user.';
