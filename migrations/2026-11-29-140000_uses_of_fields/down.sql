alter table custom_fields drop column object_type;
alter table custom_fields drop column applies_to;
alter table custom_fields drop column is_shown;
