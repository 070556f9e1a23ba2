drop index concurrently cards_number;
