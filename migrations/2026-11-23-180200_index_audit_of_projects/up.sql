create index concurrently audit_log_project on audit_log (project_id, sequence) where project_id is not null;
