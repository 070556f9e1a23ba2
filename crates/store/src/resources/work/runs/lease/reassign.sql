update session_runs set process_id = $2 where id = $1 and status = 'starting'
