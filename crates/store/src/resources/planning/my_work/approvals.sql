-- The questions of agents that act for user $1, and wait for an answer in open sessions on projects $2: the first $3.
select a.id, a.session_id, s.project_id, a.tool, a.reason, a.requested_at
from tool_approvals a
join sessions s on s.id = a.session_id
where a.prompted_by = $1 and a.status = 'pending' and s.closed_at is null
  and s.project_id in (select unnest($2::uuid[]))
order by a.id
limit $3
