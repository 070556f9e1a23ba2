drop table card_attachments;
