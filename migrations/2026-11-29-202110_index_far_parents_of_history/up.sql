-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently card_history_far_parents on card_history ((changes #>> '{parent,after,id}'))
    where changes #>> '{parent,after,id}' is not null;
