drop index index_cards_letters;
alter table index_cards drop column project_id, drop column is_open;
