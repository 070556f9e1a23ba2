update resumable_uploads set contended_at = clock_timestamp() where id = $1
