select id, subject_id
from access_changes
where changed_at > clock_timestamp() - $1 * interval '1 second'
