alter table imports drop constraint imports_tool_check;
-- Imports of exports of this service stay; no more of them begin.
alter table imports
    add constraint imports_tool_check check (tool in ('jira', 'linear', 'github', 'trello', 'csv')) not valid;
