update resumable_uploads
set offset_bytes = $3, checkpoint = $4, expires_at = $5, leased_until = clock_timestamp() + make_interval(secs => $6)
where id = $1 and writer = $2
