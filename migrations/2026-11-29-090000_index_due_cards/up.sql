-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently cards_due on cards (project_id, deadline, id) where is_open and deadline is not null;
