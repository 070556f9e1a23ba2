-- A step of its own: the lock of the step before would stop all requests for as long as the table is read here.
alter table imports validate constraint imports_tool_check;
