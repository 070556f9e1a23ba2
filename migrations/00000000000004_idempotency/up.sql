-- The first answer to each idempotency key, written in the transaction of the work itself.

create table idempotency_records (
    -- The API key, or the user for browser sessions.
    scope_id uuid not null,
    -- Method and route with its parents, as in `POST /api/v2/projects/<id>/sessions`.
    operation text not null,
    key text not null check (key <> '' and length(key) <= 255),
    -- What the work returned; never null once it is committed.
    outcome jsonb,
    created_at timestamptz not null,
    -- Null: kept for good.
    expires_at timestamptz,
    primary key (scope_id, operation, key)
);
create index idempotency_records_expiry on idempotency_records (expires_at) where expires_at is not null;
