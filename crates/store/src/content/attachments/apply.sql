-- What uploads to a project through a session create, in one go: files with their sizes and blobs, objects on a branch, and
-- the uploads with what they answer.
with kept as (
    -- The update changes nothing; it makes the row come back, and holds it until the end.
    insert into files (project_id, sha256, size_bytes, blob_key, created_at)
    select $1, file.sha256, file.size_bytes, file.blob_key, $3
    from unnest($4, $5, $6) as file (sha256, size_bytes, blob_key)
    order by file.sha256
    on conflict (project_id, sha256) do update set blob_key = files.blob_key
    returning blob_key
), added as (
    insert into working_changes (branch_id, object_id, record, changed_by, changed_at)
    select $7, new.id, new.record, $10, $3
    from unnest($8, $9) as new (id, record)
), applied as (
    insert into applied_uploads (id, project_id, session_id, objects, applied_at)
    select upload.id, $1, $2, upload.objects, $3
    from unnest($11, $12) as upload (id, objects)
)
select blob_key from kept
