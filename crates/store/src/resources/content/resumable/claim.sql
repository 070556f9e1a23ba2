update resumable_uploads
set writer = $2, leased_until = clock_timestamp() + make_interval(secs => $3), contended_at = null
-- An attachment that another request has made meanwhile needs no writer.
where id = $1 and offset_bytes = $4 and attachment is null
    and (leased_until is null or leased_until < clock_timestamp())
