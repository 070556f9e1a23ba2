-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently change_events_of_cards on change_events (scope_id, sequence) where is_of_cards;
