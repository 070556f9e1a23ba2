-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently cards_deadline on cards (project_id, coalesce(deadline, 'infinity'::timestamptz), id);
