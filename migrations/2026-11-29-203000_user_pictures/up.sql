-- Pictures of people: what others see beside a name.

create table user_pictures (
    user_id uuid primary key references users (id) on delete cascade,
    sha256 bytea not null check (octet_length(sha256) = 32),
    bytes bytea not null check (octet_length(bytes) <= 524288),
    created_at timestamptz not null
);
comment on table user_pictures is
    'The picture of a person: a square PNG, drawn from what the person sent. Rows: at most one for each user.';
comment on column user_pictures.sha256 is 'SHA-256 of the bytes, by which the picture has an address.';
-- A picture is compressed already.
alter table user_pictures alter column bytes set storage external;

create index user_pictures_sha256 on user_pictures (sha256);
comment on index user_pictures_sha256 is 'A picture by its address.';
