select id, session_id from executions where ended_at is null and lease_until < now() order by id
