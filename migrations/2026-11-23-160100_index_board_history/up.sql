-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently card_history_boards on card_history (project_id, history_board(changes))
    where kind in ('placed', 'moved', 'removed');
