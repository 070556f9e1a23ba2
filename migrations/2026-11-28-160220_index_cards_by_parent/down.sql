drop index concurrently cards_parent;
