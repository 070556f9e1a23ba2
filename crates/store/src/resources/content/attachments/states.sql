-- The states of branches $2 of projects $1: the revision, the parents among $3 with working changes, `false` for a deleted one, the
-- maps of the uploads among $5 that were applied, and if objects have fields with defaults. $4 and $6 are the places of their branches.
select
    w.place,
    b.revision,
    (
        select coalesce(jsonb_object_agg(c.object_id, c.record is not null), '{}')
        from unnest($3::uuid[], $4::bigint[]) as parent (id, place)
        -- `offset 0` forces a look-up by key. Otherwise PostgreSQL may scan a large branch, if most branches are small.
        cross join lateral (
            select * from working_changes c where c.branch_id = b.id and c.object_id = parent.id offset 0
        ) c
        where parent.place = w.place
    ) as changed,
    (
        select coalesce(jsonb_object_agg(a.id, a.objects), '{}')
        from unnest($5::uuid[], $6::bigint[]) as upload (id, place)
        -- `is true` rules out the index by project. Otherwise PostgreSQL may scan all uploads of the project.
        cross join lateral (
            select * from applied_uploads a where a.id = upload.id and (a.project_id = w.project) is true offset 0
        ) a
        where upload.place = w.place
    ) as applied,
    -- `exists` could become a hash of all projects' fields.
    coalesce((
        select true from custom_fields f
        where f.project_id = w.project and f.applies_to <> 'cards'
            and f.status = 'active' and f.default_value is not null
        limit 1
    ), false) as has_defaults
from unnest($1::uuid[], $2::text[]) with ordinality as w (project, branch, place)
cross join lateral (
    select id, revision from branches b where b.project_id = w.project and b.name = w.branch offset 0
) b
