-- The purposes of the indexes of cards' orders, which are built outside of a transaction.
comment on index cards_updated is 'A project''s cards, last changed first.';
comment on index cards_deadline is 'A project''s cards by deadline; those without one come last.';
