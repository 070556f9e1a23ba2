-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently card_history_board_moves
    on card_history (history_board(changes), occurred_at) include (card_id)
    where kind in ('placed', 'moved', 'removed');
