-- What uploads to branch $2 of project $1 have to know: its revision, those of the objects $3 that its working changes know,
-- with whether they are there still, and what those of the uploads $4 answered that were applied.
select
    b.revision,
    (
        select coalesce(jsonb_object_agg(w.object_id, w.record is not null), '{}')
        from unnest($3) as parent (id)
        -- `offset 0`: each by its key. PostgreSQL may go through all changes of the branch else, if most branches have few.
        cross join lateral (
            select * from working_changes w where w.branch_id = b.id and w.object_id = parent.id offset 0
        ) w
    ) as changed,
    (
        select coalesce(jsonb_object_agg(a.id, a.objects), '{}')
        from applied_uploads a
        -- `is true`: no index is used for it. PostgreSQL may go through all uploads of the project else.
        where a.id = any($4) and (a.project_id = $1) is true
    ) as applied
from branches b
where b.project_id = $1 and b.name = $2
