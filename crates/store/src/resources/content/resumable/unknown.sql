select asked.id
from unnest($1::uuid[]) as asked (id)
where not exists (select from resumable_uploads u where u.id = asked.id)
