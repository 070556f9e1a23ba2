select id from session_runs where id = $1 and ended_at is null and lease_until < now() for update skip locked
