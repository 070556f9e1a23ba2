select id from session_runs where id = $1 and ended_at is null and process_id = coalesce($2, process_id) for update
