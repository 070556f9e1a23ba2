-- Writes what calls had under the keys $3 of operations $2 in scopes $1.
insert into idempotency_records (scope_id, operation, key, outcome, created_at, expires_at)
select * from unnest($1, $2, $3, $4, $5, $6)
