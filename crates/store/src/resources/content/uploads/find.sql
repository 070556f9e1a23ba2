-- The state of upload $1 of session $2: its map if it is attached, its record if it is sent in pieces, and its last
-- progress event.
select a.objects, a.applied_at, r.failure, r.length_bytes, r.offset_bytes, r.created_at,
    coalesce(r.parts is not null or (not r.is_partial and r.length_bytes = r.offset_bytes), false) as is_complete,
    t.data as progress, t.occurred_at as progress_at
from (select $1::uuid as id) u
left join applied_uploads a on a.id = u.id and a.session_id = $2
left join resumable_uploads r on r.id = u.id and r.session_id = $2 and r.expires_at > clock_timestamp()
left join lateral (
    select e.data, e.occurred_at
    from session_events e
    where e.session_id = $2 and e.type = 'upload.changed' and e.data ->> 'uploadId' = u.id::text
    order by e.sequence desc
    limit 1
) t on true
where a.id is not null or r.id is not null or t.data is not null
