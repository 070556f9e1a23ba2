drop index concurrently audit_log_age;
