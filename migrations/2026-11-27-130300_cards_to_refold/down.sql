drop table card_refolds;
