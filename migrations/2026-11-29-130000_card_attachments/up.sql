-- Attachments of cards: files that belong to a card, and not to the tree of its project.

create table card_attachments (
    id uuid primary key,
    card_id uuid not null references cards (id) on delete cascade,
    project_id uuid not null references projects (id) on delete cascade,
    sha256 bytea not null,
    name text not null check (name <> '' and length(name) <= 255),
    media_type text not null check (media_type <> ''),
    author_id uuid not null references users (id),
    created_at timestamptz not null,
    constraint card_attachments_file_fkey foreign key (project_id, sha256) references files (project_id, sha256)
);
comment on table card_attachments is 'A file that is attached to a card. Rows: at most 100 for each card.';
comment on column card_attachments.project_id is 'The project of the card, whose file it is.';
comment on column card_attachments.name is 'The name of the file as it was sent.';
comment on constraint card_attachments_file_fkey on card_attachments is
    'The bytes. Nothing cascades: also a program that knows no attachments can''t forget a file that is attached.';

create index card_attachments_card on card_attachments (card_id, id);
comment on index card_attachments_card is 'A card''s attachments, oldest first.';
create index card_attachments_file on card_attachments (project_id, sha256);
comment on index card_attachments_file is 'The foreign keys, and what is attached of a file that is to be released.';
create index card_attachments_author on card_attachments (author_id);
comment on index card_attachments_author is 'The foreign key.';
