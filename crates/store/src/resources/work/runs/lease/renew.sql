-- Until `LEASE_FROM_NOW` (leases.rs).
update session_runs set lease_until = now() + interval '15 seconds'
where id = any($1) and process_id = $2 and ended_at is null and lease_until > now()
returning id
