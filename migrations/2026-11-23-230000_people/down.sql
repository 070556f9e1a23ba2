drop table invitations;
drop table service_accounts;
alter table users drop column disabled_at;
