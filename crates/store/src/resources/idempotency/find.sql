-- The recorded outcomes of keys $3 of operations $2 in scopes $1. Each is looked up alone, by the records' key: a join that
-- was planned for a small table would later scan a large one.
select claim.key, record.outcome
from unnest($1::uuid[], $2::text[], $3::text[]) as claim (scope, operation, key)
cross join lateral (
    select outcome from idempotency_records r
    where r.scope_id = claim.scope and r.operation = claim.operation and r.key = claim.key
    limit 1
) as record
