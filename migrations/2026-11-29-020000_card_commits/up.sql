-- Commits of cards: the commits whose messages name a card.

create table card_commits (
    card_id uuid not null references cards (id) on delete cascade,
    project_id uuid not null,
    oid bytea not null,
    closes boolean not null,
    committed_at timestamptz not null,
    primary key (card_id, oid),
    foreign key (project_id, oid) references commits (project_id, oid) on delete cascade
);
comment on table card_commits is
    'A commit whose message names a card of its project. Grows: one row for each commit and card that it names.';
comment on column card_commits.closes is
    'The card is to be closed when the commit reaches the default branch. False for a mere mention, and once it has.';

create index card_commits_newest on card_commits (card_id, committed_at desc, oid);
comment on index card_commits_newest is 'A card''s commits, newest first.';
create index card_commits_commit on card_commits (project_id, oid);
comment on index card_commits_commit is 'The foreign key.';
create index card_commits_closing on card_commits (project_id, oid, card_id) where closes;
comment on index card_commits_closing is 'The commits that a merge may bring, and the cards that they close.';
