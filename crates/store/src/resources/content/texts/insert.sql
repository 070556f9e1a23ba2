-- Texts of project $1 that it doesn't have yet. They come in order: transactions that insert the same don't deadlock.
insert into texts (project_id, sha256, grams)
select $1, new.sha256, new.grams::bigint[]
from unnest($2::bytea[], $3::text[]) as new (sha256, grams)
order by new.sha256
on conflict do nothing
