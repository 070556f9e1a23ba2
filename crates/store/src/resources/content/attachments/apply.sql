-- Writes all that uploads create: files with sizes and blobs, objects on branches, whose revisions are raised, and the
-- uploads with their maps; and the files that are converted later.
with kept as (
    -- The update changes nothing. It returns and locks a row that exists.
    insert into files (project_id, sha256, size_bytes, blob_key, created_at)
    select file.project_id, file.sha256, file.size_bytes, file.blob_key, $1
    from unnest($2::uuid[], $3::bytea[], $4::bigint[], $5::text[]) as file (project_id, sha256, size_bytes, blob_key)
    order by file.project_id, file.sha256
    on conflict (project_id, sha256) do update set blob_key = files.blob_key
    returning blob_key
), raised as (
    update branches set revision = revision + 1, changed_at = now() where id = any($6)
), added as (
    insert into working_changes (branch_id, object_id, record, changed_by, changed_at)
    select new.branch_id, new.id, new.record, new.changed_by, $1
    from unnest($7::uuid[], $8::uuid[], $9::jsonb[], $10::uuid[]) as new (branch_id, id, record, changed_by)
), applied as (
    insert into applied_uploads (id, project_id, session_id, objects, applied_at)
    select upload.id, upload.project_id, upload.session_id, upload.objects, $1
    from unnest($11::uuid[], $12::uuid[], $13::uuid[], $14::jsonb[]) as upload (id, project_id, session_id, objects)
), deferred as (
    insert into deferred_conversions
        (branch_id, object_id, project_id, session_id, user_id, upload_id, name, sha256, created_at)
    select file.branch_id, file.object_id, file.project_id, file.session_id, file.user_id, file.upload_id, file.name,
        file.sha256, $1
    from unnest(
        $15::uuid[], $16::uuid[], $17::uuid[], $18::uuid[], $19::uuid[], $20::uuid[], $21::text[], $22::bytea[]
    ) as file (branch_id, object_id, project_id, session_id, user_id, upload_id, name, sha256)
)
select blob_key from kept
