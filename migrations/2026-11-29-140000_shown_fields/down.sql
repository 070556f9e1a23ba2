alter table custom_fields drop column is_shown;
