alter table branches drop column changed_at;
