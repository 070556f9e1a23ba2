comment on index card_history_moves is null;
comment on index card_history_lives is null;
