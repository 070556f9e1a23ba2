-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently cards_parent on cards (parent_id);
