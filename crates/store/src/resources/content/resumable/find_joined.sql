-- The upload of session $1, or to card $3, with some of the parts $2; last the one with exactly these.
select id, parts = $2 as is_same
from resumable_uploads
where (session_id = $1 or card_id = $3) and parts && $2
order by is_same
