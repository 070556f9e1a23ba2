-- A package with one of its versions, or as it is published on a branch.
select
    p.project_id, p.object_id, v.name, p.description, b.name as branch, p.commit_hash, v.object_count, p.updated_at
from packages p
join branches b on b.id = p.branch_id
join package_versions v
    on v.branch_id = p.branch_id and v.object_id = p.object_id and v.commit_hash = p.commit_hash
where p.project_id = $1 and p.object_id = $2
  and case
      when $3::bytea is null then p.branch_id = $4
      else exists (
          select from package_versions o
          where o.branch_id = p.branch_id and o.object_id = p.object_id and o.commit_hash = $3
      )
  end
order by p.branch_id = $4 desc, p.updated_at desc
limit 1
