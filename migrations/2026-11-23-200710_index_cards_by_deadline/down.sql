drop index concurrently cards_deadline;
