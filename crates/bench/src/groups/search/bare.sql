select o.text_id, o.object_id, t.sha256
from texts t
join text_objects o on o.text_id = t.id
where t.grams @> $2::bigint[] and t.project_id = $1
order by t.id
limit 100
