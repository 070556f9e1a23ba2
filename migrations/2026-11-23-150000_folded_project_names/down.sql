alter table projects drop column folded_name;
