-- The purposes of the indexes of flow reports, which are built outside of a transaction.
comment on index card_history_lives is
    'Cards created, opened, closed and deleted since a day, without reading the rows.';
comment on index card_history_moves is 'Moves of cards on boards since a day.';
