drop index concurrently card_history_parents;
