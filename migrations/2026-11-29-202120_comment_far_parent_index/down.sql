comment on index card_history_far_parents is null;
