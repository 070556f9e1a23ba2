-- A step of its own: it is built beside requests, outside of a transaction.
create index concurrently resumable_uploads_card on resumable_uploads (card_id);
