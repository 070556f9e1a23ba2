-- Each change and each refused attempt is in the audit log, with its result and its request. Owners read it, and old
-- entries are deleted.
alter table audit_log
    add column result text not null default 'OK',
    add column request_id text,
    add column project_id uuid,
    add column organization_id uuid,
    add column attempts int not null default 1;
-- Only newer services read the table.
-- squawk-ignore ban-drop-not-null
alter table audit_log alter column target_id drop not null;
comment on table audit_log is
    'Actor, operation, result and target of each change and each refused attempt, by id. Append-only. '
    'Grows: one row for each change; refusals of a user are few for each minute; until `ATELIER_AUDIT_DAYS` have passed.';
comment on column audit_log.action is 'The operation''s id; of an operator or the service itself with a dot.';
comment on column audit_log.result is '`OK`, or the code of the refusal.';
comment on column audit_log.request_id is 'Null: an operator, or the service itself.';
comment on column audit_log.project_id is 'The project that the request named. May be deleted since.';
comment on column audit_log.organization_id is
    'The organization that the request named, or the owner of its project. May be deleted since.';
comment on column audit_log.attempts is 'Number of equal attempts that the row stands for.';

create function refuse_early_deletion() returns trigger language plpgsql as $$
begin
    if old.occurred_at > now() - interval '30 days' then
        raise exception '% is append-only for 30 days', tg_table_name;
    end if;
    return old;
end
$$;
comment on function refuse_early_deletion() is 'Refuses the deletion of a row of the last 30 days.';

drop trigger audit_log_append_only on audit_log;
create trigger audit_log_append_only before update or truncate on audit_log
    for each statement execute function refuse_change();
comment on trigger audit_log_append_only on audit_log is 'Append-only.';
create trigger audit_log_kept before delete on audit_log
    for each row execute function refuse_early_deletion();
comment on trigger audit_log_kept on audit_log is 'Entries are kept for 30 days at least.';
