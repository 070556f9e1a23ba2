-- The purposes of the audit log's indexes, which are built outside of a transaction.
comment on index audit_log_project is 'The entries of a project, newest first.';
comment on index audit_log_organization is 'The entries of an organization, newest first.';
comment on index audit_log_age is 'Finds old entries.';
