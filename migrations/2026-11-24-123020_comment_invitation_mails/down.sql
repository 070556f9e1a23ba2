comment on index invitations_mail_at is null;
