alter table teams drop column time_zone;
