-- The user's open sessions on projects of which it is neither the owner nor a member. A role on a public project alone
-- opens no session.
select s.id
from sessions s
join projects p on p.id = s.project_id
left join organization_members om on om.organization_id = p.owner_id and om.user_id = s.created_by
where s.created_by = $1
  and s.closed_at is null
  and p.owner_id <> s.created_by
  and not exists (select from project_members m where m.project_id = p.id and m.user_id = s.created_by)
  and not coalesce(om.role in ('admin', 'owner') or (om.role = 'member' and p.visibility <> 'private'), false)
order by s.id
