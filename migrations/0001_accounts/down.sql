drop table api_keys;
drop table organization_members;
drop table organizations;
drop table user_identities;
drop table users;
drop table owners;
