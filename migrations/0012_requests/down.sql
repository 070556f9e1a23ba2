drop table audit_log;
drop table idempotency_records;
