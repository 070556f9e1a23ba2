drop table audit_log;
drop function audit_log_is_append_only;
