-- Who did what to what: ids only, append-only.

create table audit_log (
    sequence bigint generated always as identity primary key,
    occurred_at timestamptz not null,
    -- Null where an operator acted.
    actor_user_id uuid,
    actor_key_id uuid,
    action text not null,
    target_id uuid not null
);

create function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'the audit log is append-only';
end
$$;
create trigger audit_log_append_only before update or delete or truncate on audit_log
    for each statement execute function audit_log_is_append_only();
