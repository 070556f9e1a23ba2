drop table card_types;
