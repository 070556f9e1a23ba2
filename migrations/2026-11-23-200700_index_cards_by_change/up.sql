-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently cards_updated on cards (project_id, updated_at, id);
