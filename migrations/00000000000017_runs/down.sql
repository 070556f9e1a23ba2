drop table usage_events;
drop table session_messages;
drop table session_runs;
alter table projects drop column initial_prompt_session_id;
alter table sessions drop column model, drop column toolboxes, drop column budget_micro_credits;
