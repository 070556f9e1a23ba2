-- Mentions: users whom the texts of cards name.

create table card_mentions (
    id bigint primary key generated always as identity,
    card_id uuid not null references cards (id) on delete cascade,
    comment_id uuid references card_comments (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    mentioned_at timestamptz not null,
    constraint card_mentions_text_key unique nulls not distinct (card_id, comment_id, user_id)
);
comment on table card_mentions is
    'A user whom a text of a card mentions. Grows: up to 50 rows for each description or comment, until it is changed.';
comment on column card_mentions.comment_id is 'The comment; null: the description.';
comment on column card_mentions.mentioned_at is 'The time since which the text mentions the user.';

create index card_mentions_comment on card_mentions (comment_id);
comment on index card_mentions_comment is 'The foreign key.';
create index card_mentions_user on card_mentions (user_id, card_id, mentioned_at);
comment on index card_mentions_user is 'The cards that mention a user; the foreign key.';
