select id, session_id from session_runs where ended_at is null and lease_until < now() order by id
