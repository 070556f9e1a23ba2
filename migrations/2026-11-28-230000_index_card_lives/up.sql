-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently card_history_lives on card_history (project_id, occurred_at) include (card_id, kind, sequence)
    where kind in ('created', 'closed', 'reopened', 'deleted');
