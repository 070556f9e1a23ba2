-- Takes a lock for each key $3 of operation $2 in scope $1, in their order.
select pg_advisory_xact_lock(hashtext(claim.scope || claim.operation), hashtext(claim.key))
from unnest($1::uuid[], $2, $3) as claim (scope, operation, key)
