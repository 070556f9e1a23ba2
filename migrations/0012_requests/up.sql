-- Requests: their idempotency keys, and the record of sensitive actions.

create table idempotency_records (
    scope_id uuid not null,
    operation text not null,
    key text not null check (key <> '' and length(key) <= 255),
    outcome jsonb,
    created_at timestamptz not null,
    expires_at timestamptz,
    primary key (scope_id, operation, key)
);
comment on table idempotency_records is
    'The outcome of a creation under its idempotency key, written by the creation''s transaction. '
    'Grows: one row for each creation with a key; deleted after 30 days, except for projects.';
comment on column idempotency_records.scope_id is 'The API key, or the user of a browser session.';
comment on column idempotency_records.operation is
    'The operation''s id and its parent''s, as in `createCard <project>`.';
comment on column idempotency_records.outcome is
    'The result, from which a repeat is answered. Never null once committed.';
comment on column idempotency_records.expires_at is 'Null: kept as long as the deployment.';

create index idempotency_records_expiry on idempotency_records (expires_at) where expires_at is not null;
comment on index idempotency_records_expiry is 'Finds expired records.';

create table audit_log (
    sequence bigint generated always as identity primary key,
    occurred_at timestamptz not null,
    actor_user_id uuid,
    actor_key_id uuid,
    action text not null,
    target_id uuid not null
);
comment on table audit_log is
    'Actor, action and target of a sensitive action, by id. Append-only. '
    'Grows: one row for each action; never deleted.';
comment on column audit_log.actor_user_id is 'Null: an operator.';

create trigger audit_log_append_only before update or delete or truncate on audit_log
    for each statement execute function refuse_change();
comment on trigger audit_log_append_only on audit_log is 'Append-only.';
