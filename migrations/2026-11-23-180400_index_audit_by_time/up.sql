create index concurrently audit_log_age on audit_log using brin (occurred_at);
