select id, length_bytes, offset_bytes
from resumable_uploads
where id = any($1) and project_id = $2 and session_id is not distinct from $3 and card_id is not distinct from $5
    and user_id = $4 and is_partial and expires_at > clock_timestamp()
order by id
for update
