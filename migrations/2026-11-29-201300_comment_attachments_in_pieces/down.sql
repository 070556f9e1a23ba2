comment on index resumable_uploads_card is null;
