where p.branch_id = $1
order by v.name, p.object_id
