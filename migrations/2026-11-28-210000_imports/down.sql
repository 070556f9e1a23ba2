drop table card_sources;
drop table import_notes;
drop table import_items;
drop table imports;
