drop table session_event_heads;
drop table session_events;
drop table sessions;
