drop table usage_events;
drop table session_messages;
drop table session_runs;
drop table mcp_servers;
