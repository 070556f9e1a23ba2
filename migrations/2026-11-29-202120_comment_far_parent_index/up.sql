-- A step of its own, because the index is built outside of a transaction.
comment on index card_history_far_parents is 'The past children of a card in other projects.';
