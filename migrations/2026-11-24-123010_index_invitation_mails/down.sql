drop index concurrently invitations_mail_at;
