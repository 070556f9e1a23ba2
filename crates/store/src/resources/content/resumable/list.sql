select u.id, u.session_id, u.connection_id, u.parent_id, u.name, u.metadata, u.length_bytes, u.offset_bytes, u.checkpoint,
    u.is_partial, u.parts, coalesce(u.parts is not null or (not u.is_partial and u.length_bytes = u.offset_bytes), false) as is_complete,
    coalesce(u.leased_until > clock_timestamp(), false) as is_written, u.failure, u.created_at, u.expires_at, a.objects,
    u.card_id, u.attachment
from resumable_uploads u
left join applied_uploads a on a.id = u.id
where u.session_id = $1 and u.expires_at > clock_timestamp() and ($2::uuid is null or u.id < $2)
order by u.id desc
limit $3
