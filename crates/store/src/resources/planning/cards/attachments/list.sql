-- The attachments of cards $1, oldest first; only $2, if that names one.
select
    a.id, a.card_id, a.name, a.media_type, a.sha256, f.size_bytes, f.blob_key, f.created_at as stored_at,
    a.author_id, u.display_name, a.created_at
from card_attachments a
join files f on f.project_id = a.project_id and f.sha256 = a.sha256
join users u on u.id = a.author_id
where a.card_id = any($1) and ($2::uuid is null or a.id = $2)
order by a.card_id, a.id
