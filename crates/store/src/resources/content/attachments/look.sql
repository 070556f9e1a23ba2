-- What uploads have to know of the branches $2 of projects $1: the revision, those of the objects $3 that the working changes
-- know, with whether they are there still, and what those of the uploads $5 answered that were applied. $4 and $6 say to
-- which of the branches each belongs.
select
    w.place,
    b.revision,
    (
        select coalesce(jsonb_object_agg(c.object_id, c.record is not null), '{}')
        from unnest($3, $4) as parent (id, place)
        -- `offset 0`: each by its key. PostgreSQL may go through all changes of the branch else, if most branches have few.
        cross join lateral (
            select * from working_changes c where c.branch_id = b.id and c.object_id = parent.id offset 0
        ) c
        where parent.place = w.place
    ) as changed,
    (
        select coalesce(jsonb_object_agg(a.id, a.objects), '{}')
        from unnest($5, $6) as upload (id, place)
        -- `is true`: no index is used for it. PostgreSQL may go through all uploads of the project else.
        cross join lateral (
            select * from applied_uploads a where a.id = upload.id and (a.project_id = w.project) is true offset 0
        ) a
        where upload.place = w.place
    ) as applied
from unnest($1, $2) with ordinality as w (project, branch, place)
cross join lateral (
    select id, revision from branches b where b.project_id = w.project and b.name = w.branch offset 0
) b
