comment on index invitations_mail_at is 'The mails that are due.';
