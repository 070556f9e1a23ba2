comment on index audit_log_age is null;
comment on index audit_log_organization is null;
comment on index audit_log_project is null;
