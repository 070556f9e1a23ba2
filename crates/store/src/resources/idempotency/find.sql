-- The outcomes that earlier calls had under keys of operations in scopes. Each is sought by itself, by the
-- records' key: a join that was planned while there were hardly any would read all of them from then on.
select claim.key, record.outcome
from unnest($1::uuid[], $2::text[], $3::text[]) as claim (scope, operation, key)
cross join lateral (
    select outcome from idempotency_records r
    where r.scope_id = claim.scope and r.operation = claim.operation and r.key = claim.key
    limit 1
) as record
