-- In order, so that transactions that insert the same files don't deadlock. The update changes nothing: a file that the
-- project has keeps its blob.
insert into files (project_id, sha256, size_bytes, blob_key, created_at)
select $1, file.sha256, file.size_bytes, file.blob_key, $5
from unnest($2::bytea[], $3::bigint[], $4::text[]) as file (sha256, size_bytes, blob_key)
order by file.sha256
on conflict (project_id, sha256) do update set blob_key = files.blob_key
returning blob_key
