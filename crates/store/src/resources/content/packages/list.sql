-- The packages that are published on branch $1. `collate "C"`: the order is the same in every locale.
select
    p.project_id, p.object_id, v.name, p.description, b.name as branch, p.commit_hash, v.object_count, p.updated_at
from packages p
join branches b on b.id = p.branch_id
join package_versions v
    on v.branch_id = p.branch_id and v.object_id = p.object_id and v.commit_hash = p.commit_hash
where p.branch_id = $1
  and ($2::text is null or (v.name collate "C", p.object_id) > ($2 collate "C", $3::uuid))
order by v.name collate "C", p.object_id
limit $4
