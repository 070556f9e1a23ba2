update resumable_uploads
set leased_until = clock_timestamp() + make_interval(secs => $3)
where id = $1 and writer = $2
-- Who was refused comes back soon, or not at all.
returning coalesce(contended_at > clock_timestamp() - interval '5 seconds', false) as is_contended
