update executions set process_id = $2 where id = $1 and state = 'queued'
