-- The purposes of the indexes of cards' keys and orders, which are built outside of a transaction.
comment on index cards_number is 'Finds a card by its key.';
comment on index cards_unnumbered is 'Cards that are older than numbers.';
comment on index cards_parent is 'A card''s children; the foreign key.';
comment on index cards_by_priority is 'A project''s cards, the most urgent first.';
