drop index concurrently cards_due;
