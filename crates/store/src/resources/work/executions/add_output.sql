update executions set output = output || $2, truncated = truncated or $3 where id = $1
