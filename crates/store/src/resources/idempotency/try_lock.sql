-- Locks each key of an operation in a scope, unless another transaction holds it.
select pg_try_advisory_xact_lock(hashtext(claim.scope || claim.operation), hashtext(claim.key)) as is_locked
from unnest($1::uuid[], $2::text[], $3::text[]) as claim (scope, operation, key)
