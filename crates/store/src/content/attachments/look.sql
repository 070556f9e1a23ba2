-- What uploads to branch $2 of project $1 have to know: its revision, those of the objects $3 that its working changes know,
-- with whether they are there still, and what those of the uploads $4 answered that were applied.
select
    b.revision,
    (
        select coalesce(jsonb_object_agg(w.object_id, w.record is not null), '{}')
        from working_changes w
        where w.branch_id = b.id and w.object_id = any($3)
    ) as changed,
    (
        select coalesce(jsonb_object_agg(a.id, a.objects), '{}')
        from applied_uploads a
        where a.id = any($4) and a.project_id = $1
    ) as applied
from branches b
where b.project_id = $1 and b.name = $2
