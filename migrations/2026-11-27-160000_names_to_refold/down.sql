drop table project_refolds;
delete from card_refolds where version = 3;
