update resumable_uploads
set expires_at = least(expires_at, clock_timestamp() + make_interval(secs => $2))
where id = any($1)
