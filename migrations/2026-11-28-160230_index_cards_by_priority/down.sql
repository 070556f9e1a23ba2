drop index concurrently cards_by_priority;
