-- Continues select.sql: a package with one of its versions, or as it is published on a branch.
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
