drop index concurrently cards_updated;
