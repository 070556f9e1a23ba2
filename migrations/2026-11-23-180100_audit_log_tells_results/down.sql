drop trigger audit_log_kept on audit_log;
drop trigger audit_log_append_only on audit_log;
drop function refuse_early_deletion();
delete from audit_log where target_id is null;
create trigger audit_log_append_only before update or delete or truncate on audit_log
    for each statement execute function refuse_change();
comment on trigger audit_log_append_only on audit_log is 'Append-only.';
alter table audit_log
    alter column target_id set not null,
    drop column attempts,
    drop column organization_id,
    drop column project_id,
    drop column request_id,
    drop column result;
comment on column audit_log.action is null;
comment on table audit_log is
    'Actor, action and target of a sensitive action, by id. Append-only. '
    'Grows: one row for each action; never deleted.';
