drop table card_field_values;
alter table cards drop column fields;
drop table custom_fields;
