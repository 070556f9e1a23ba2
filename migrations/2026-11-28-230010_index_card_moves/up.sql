-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently card_history_moves on card_history (project_id, occurred_at)
    where kind in ('placed', 'moved', 'removed');
