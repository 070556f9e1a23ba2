-- The state of an invitation's mail, for the person who invites.

alter table invitations
    add column mail_state text,
    add constraint invitations_mail_state_check
        check (mail_state in ('due', 'sent', 'limited', 'failed')) not valid;
comment on column invitations.mail_state is
    'The state of its mail; null: without an address, or in a deployment without a mail server.';
comment on constraint invitations_mail_state_check on invitations is 'One of the states of a mail.';
