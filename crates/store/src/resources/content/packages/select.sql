select
    p.project_id, p.object_id, v.name, p.description, b.name as branch, p.commit_hash, v.object_count, p.updated_at
from packages p
join branches b on b.id = p.branch_id
join package_versions v
    on v.branch_id = p.branch_id and v.object_id = p.object_id and v.commit_hash = p.commit_hash
