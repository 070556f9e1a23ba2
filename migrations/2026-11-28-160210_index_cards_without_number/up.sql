-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently cards_unnumbered on cards (project_id, id) where number is null;
