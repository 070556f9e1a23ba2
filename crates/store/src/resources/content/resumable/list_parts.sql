select u.id, u.offset_bytes, u.checkpoint
from unnest($1::uuid[]) with ordinality as part (id, place)
join resumable_uploads u on u.id = part.id
order by part.place
