create index concurrently audit_log_organization on audit_log (organization_id, sequence) where organization_id is not null;
