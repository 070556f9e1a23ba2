-- Continues apply.sql.
, deferred as (
    insert into deferred_conversions
        (branch_id, object_id, project_id, session_id, user_id, upload_id, name, sha256, created_at)
    select file.branch_id, file.object_id, file.project_id, file.session_id, file.user_id, file.upload_id, file.name,
        file.sha256, $1
    from unnest($15, $16, $17, $18, $19, $20, $21, $22) as file
        (branch_id, object_id, project_id, session_id, user_id, upload_id, name, sha256)
)
