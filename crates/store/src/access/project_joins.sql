from projects p
join owners o on o.id = p.owner_id
left join branches b on b.project_id = p.id and b.name = coalesce($3, p.default_branch)
left join project_members pm on pm.project_id = p.id and pm.user_id = $2
left join organization_members om on om.organization_id = p.owner_id and om.user_id = $2
