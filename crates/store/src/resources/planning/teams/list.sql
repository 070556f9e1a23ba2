select t.id, t.organization_id, t.name, t.description, t.status, t.visibility, t.time_zone, t.created_at, t.updated_at
from teams t
where t.organization_id = $1
  and (
      exists (select from team_members m where m.team_id = t.id and m.user_id = $2)
      or (t.visibility = 'internal' and $3)
      or (t.visibility = 'private' and $4)
  )
  and ($5::text is null or t.status = $5)
  and ($6::uuid is null or t.id < $6)
order by t.id desc
limit $7
