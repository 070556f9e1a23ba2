-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently cards_by_priority on cards (
    project_id, array_position('{urgent,high,medium,low,none}'::text[], priority), id desc
);
