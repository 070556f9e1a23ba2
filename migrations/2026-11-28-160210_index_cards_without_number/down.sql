drop index concurrently cards_unnumbered;
