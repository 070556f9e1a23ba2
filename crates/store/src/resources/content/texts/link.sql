insert into text_objects (text_id, object_id)
select t.id, new.object_id
from unnest($2::bytea[], $3::uuid[]) as new (sha256, object_id)
join texts t on t.project_id = $1 and t.sha256 = new.sha256
order by t.id, new.object_id
on conflict do nothing
