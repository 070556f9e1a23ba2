drop table invitation_exclusions;
drop table sent_invitation_mails;
