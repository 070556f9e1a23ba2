update resumable_uploads
set writer = null, leased_until = null, contended_at = null, failure = coalesce($3, failure)
where id = $1 and writer = $2
