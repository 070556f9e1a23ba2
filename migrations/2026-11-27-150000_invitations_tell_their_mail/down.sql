alter table invitations drop column mail_state;
