-- A step of its own: the locks of the step before would stop requests for as long as the table is read here.
alter table resumable_uploads validate constraint resumable_uploads_card_id_fkey;
alter table resumable_uploads validate constraint resumable_uploads_destination;
