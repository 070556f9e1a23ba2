drop index concurrently resumable_uploads_card;
