update {table} set lease_until = {lease}
where id = any($1) and process_id = $2 and ended_at is null and lease_until > now()
returning id
