-- Progress of folding the texts of cards again, which the service does in batches: texts are found without accents now.

create table card_refolds (
    version bigint primary key,
    after_card_id uuid not null,
    finished_at timestamptz
);
comment on table card_refolds is
    'A new way of folding the texts of cards, and how far older texts follow it. Rows: one for each way.';
comment on column card_refolds.after_card_id is 'Cards up to this id are folded.';
comment on column card_refolds.finished_at is 'Null until all cards are folded.';

insert into card_refolds (version, after_card_id) values (2, '00000000-0000-0000-0000-000000000000');
