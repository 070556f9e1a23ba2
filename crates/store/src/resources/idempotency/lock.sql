-- Locks each key of an operation in a scope; waits for other holders.
select pg_advisory_xact_lock(hashtext(claim.scope || claim.operation), hashtext(claim.key)) is not null as is_locked
from unnest($1::uuid[], $2::text[], $3::text[]) as claim (scope, operation, key)
