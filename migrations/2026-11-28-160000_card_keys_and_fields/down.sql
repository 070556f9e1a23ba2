alter table index_cards drop column checklist_total, drop column checklist_done;
drop table card_checklist_items;
drop table card_relations;
alter table cards
    drop column number, drop column priority, drop column type, drop column parent_id, drop column start_date;
drop table card_counters;
drop table project_keys;
alter table projects drop column key;
