alter table api_keys drop column created_by;
alter table service_accounts drop column created_by;
