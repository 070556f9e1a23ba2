-- Keeps files that show parts of file $2 of project $1; returns the blobs that they replace.
with before as (
    select d.part, d.format, d.blob_key
    from derived_files d
    where d.project_id = $1 and d.sha256 = $2
), kept as (
    insert into derived_files (project_id, sha256, part, format, blob_key, size_bytes, content_sha256)
    select $1, $2, made.part, made.format, made.blob_key, made.size_bytes, made.content_sha256
    from unnest($3::integer[], $4::text[], $5::text[], $6::bigint[], $7::bytea[])
        as made (part, format, blob_key, size_bytes, content_sha256)
    on conflict (project_id, sha256, part, format) do update
    set blob_key = excluded.blob_key, size_bytes = excluded.size_bytes, content_sha256 = excluded.content_sha256
    returning part, format, blob_key
)
select b.blob_key
from before b
join kept k on k.part = b.part and k.format = b.format
where k.blob_key <> b.blob_key
