-- Imports take the export of a project of this service, too.

-- The next statement adds it again, with one value more.
-- squawk-ignore ban-drop-constraint
alter table imports drop constraint imports_tool_check;
-- New rows only: the next step validates the rows that exist.
alter table imports
    add constraint imports_tool_check check (tool in ('jira', 'linear', 'github', 'trello', 'csv', 'ndjson')) not valid;
