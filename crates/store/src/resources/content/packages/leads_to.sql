-- `true` if the version $3 of package $2 of project $1 belongs to project $4 or includes anything of it, at any depth.
with recursive reached (project_id, package_id, commit_hash) as (
    select $1::uuid, $2::uuid, $3::bytea
    union
    select i.included_project, i.included_package, i.included_commit
    from reached r
    join package_versions v
        on v.project_id = r.project_id and v.object_id = r.package_id and v.commit_hash = r.commit_hash
    join package_includes i
        on i.branch_id = v.branch_id and i.object_id = v.object_id and i.commit_hash = v.commit_hash
)
select exists (select from reached where project_id = $4) as found
