-- The purpose of the index of uploads to cards, which is built outside of a transaction.
comment on index resumable_uploads_card is 'The foreign key, and the uploads to a card.';
