-- Writes all that uploads create: files with sizes and blobs, objects on branches, whose revisions are raised, and the
-- uploads with their maps.
with kept as (
    -- The update changes nothing. It returns and locks a row that exists.
    insert into files (project_id, sha256, size_bytes, blob_key, created_at)
    select file.project_id, file.sha256, file.size_bytes, file.blob_key, $1
    from unnest($2, $3, $4, $5) as file (project_id, sha256, size_bytes, blob_key)
    order by file.project_id, file.sha256
    on conflict (project_id, sha256) do update set blob_key = files.blob_key
    returning blob_key
), raised as (
    update branches set revision = revision + 1, changed_at = now() where id = any($6)
), added as (
    insert into working_changes (branch_id, object_id, record, changed_by, changed_at)
    select new.branch_id, new.id, new.record, new.changed_by, $1
    from unnest($7, $8, $9, $10) as new (branch_id, id, record, changed_by)
), applied as (
    insert into applied_uploads (id, project_id, session_id, objects, applied_at)
    select upload.id, upload.project_id, upload.session_id, upload.objects, $1
    from unnest($11, $12, $13, $14) as upload (id, project_id, session_id, objects)
)
{deferred}select blob_key from kept
