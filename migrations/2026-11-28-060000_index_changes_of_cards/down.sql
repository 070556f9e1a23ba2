drop index concurrently change_events_of_cards;
