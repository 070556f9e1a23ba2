-- A step of its own: it is built beside requests, outside of a transaction.
create unique index concurrently cards_number on cards (project_id, number);
