select t.id, t.organization_id, t.name, t.description, t.status, t.visibility, t.time_zone, t.created_at, t.updated_at
from teams t
where t.organization_id = $1 and t.folded_name = $2 and t.id <> $3
  and (
      t.visibility = 'internal'
      or exists (select from team_members m where m.team_id = t.id and m.user_id = $4)
      or exists (
          select from organization_members m
          where m.organization_id = t.organization_id and m.user_id = $4 and m.role in ('admin', 'owner')
      )
  )
