-- The update changes nothing; it makes the row come back, and holds it until the end.
insert into files (project_id, sha256, size_bytes, blob_key, created_at)
values ($1, $2, $3, $4, $5)
on conflict (project_id, sha256) do update set blob_key = files.blob_key
returning blob_key
