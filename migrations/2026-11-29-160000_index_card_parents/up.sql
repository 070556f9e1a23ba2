-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently card_history_parents on card_history ((changes #>> '{parent_id,after}'))
    where changes #>> '{parent_id,after}' is not null;
