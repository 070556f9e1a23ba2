insert into package_includes
    (branch_id, object_id, commit_hash, included_project, included_package, included_commit)
select distinct $1::uuid, $2::uuid, $3::bytea, i.project_id, i.package_id, i.commit_hash
from unnest($4::uuid[], $5::uuid[], $6::bytea[]) as i (project_id, package_id, commit_hash)
on conflict do nothing
