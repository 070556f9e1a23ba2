drop index card_history_boards;
