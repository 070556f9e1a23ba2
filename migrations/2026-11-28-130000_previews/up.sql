-- Previews: what is made of files, so that they can be looked at. All of it can be made again.

create table previews (
    project_id uuid not null,
    sha256 bytea not null,
    maker integer not null,
    attempts integer not null,
    lease_until timestamptz not null,
    shape jsonb,
    failure text,
    finished_at timestamptz,
    used_at timestamptz not null,
    primary key (project_id, sha256),
    foreign key (project_id, sha256) references files (project_id, sha256) on delete cascade
);
comment on table previews is
    'What there is to see of a file. Rows: one for each file with a shape that was uploaded or looked at, until it is '
    'not looked at for a month, or others need the space.';
comment on column previews.maker is 'The version of the program that made it. Another one makes it again.';
comment on column previews.attempts is 'Number of processes that have begun to make it. The last one alone may write it.';
comment on column previews.lease_until is 'Renewed by the process that makes it. Past it, any process may make it.';
comment on column previews.shape is 'Facts about the shape, as its preview shows it. Null until something can be seen.';
comment on column previews.failure is 'Why it shows nothing, or less than it should, in words. Null without a reason.';
comment on column previews.finished_at is 'Null while it is being made.';
comment on column previews.used_at is 'When it was last asked for, to the hour.';

create index previews_used on previews (used_at);
comment on index previews_used is 'The previews that nobody has looked at for the longest time.';

create table derived_files (
    project_id uuid not null,
    sha256 bytea not null,
    part integer not null,
    format text not null,
    blob_key text not null unique,
    size_bytes bigint not null,
    content_sha256 bytea not null check (octet_length(content_sha256) = 32),
    primary key (project_id, sha256, part, format),
    foreign key (project_id, sha256) references previews (project_id, sha256) on delete cascade
);
comment on table derived_files is 'A file that was made of another one. Rows: four for each preview, and one for each picture of a part that was looked at.';
comment on column derived_files.sha256 is 'The file that it was made of.';
comment on column derived_files.part is 'Number of the object that it shows, of the file''s conversion. 0: the whole file.';
comment on column derived_files.content_sha256 is 'Hash of its own bytes.';
