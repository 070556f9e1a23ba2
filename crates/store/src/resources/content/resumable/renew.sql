update resumable_uploads
set leased_until = clock_timestamp() + make_interval(secs => $3)
where id = $1 and writer = $2
-- A refused writer retries soon or never: older requests do not count.
returning coalesce(contended_at > clock_timestamp() - interval '5 seconds', false) as is_contended
