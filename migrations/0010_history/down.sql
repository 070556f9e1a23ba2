drop table card_history;
drop function refuse_deletion_before_project();
drop function refuse_change();
drop function card_history_horizon();
drop function next_card_history_sequence();
drop sequence card_history_sequence;
