alter table invitations
    drop column mail_attempts,
    drop column mail_at;
