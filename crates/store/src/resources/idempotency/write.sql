-- Records the outcomes of keys of operations in scopes.
insert into idempotency_records (scope_id, operation, key, outcome, created_at, expires_at)
select * from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[], $5::timestamptz[], $6::timestamptz[])
