-- Addresses of what was deleted or moved: nobody else gets them for a while.

create table kept_addresses (
    owner_slug text not null,
    project_slug text not null,
    project_id uuid,
    kept_until timestamptz not null,
    primary key (owner_slug, project_slug)
);
comment on table kept_addresses is
    'A name in addresses that was given up. Rows: one for each, for 90 days after the deletion or the move.';
comment on column kept_addresses.project_slug is 'The name of a project; empty: the owner''s own name.';
comment on column kept_addresses.project_id is
    'The project that moved away, to which the address leads; null: it was deleted.';

create index kept_addresses_kept_until on kept_addresses (kept_until);
comment on index kept_addresses_kept_until is 'Those that are over, to delete them.';
