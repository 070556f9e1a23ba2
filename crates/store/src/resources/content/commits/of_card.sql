-- The newest $2 commits that name card $1.
select named.oid, o.data
from card_commits named
join git_objects o on o.project_id = named.project_id and o.oid = named.oid
where named.card_id = $1
order by named.committed_at desc, named.oid
limit $2
