drop table change_event_retention;
drop table change_events;
drop function change_event_horizon();
drop function next_change_event_sequence();
drop sequence change_event_sequence;
