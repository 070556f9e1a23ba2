-- The projects of user $1 as owner, member, or member of an organization, that match a filter.
with reachable as (
    select id from projects where owner_id = $1
    union
    select project_id from project_members where user_id = $1
    union
    select p.id
    from organization_members m
    join projects p on p.owner_id = m.organization_id
    where m.user_id = $1
      and (m.role in ('admin', 'owner') or (m.role = 'member' and p.visibility <> 'private'))
)
select
    p.id, p.owner_id, p.name, p.key, p.slug, p.description, p.visibility, p.default_branch,
    p.created_by, p.created_at, l.updated_at,
    o.slug as owner_slug
from reachable r
join projects p on p.id = r.id
join owners o on o.id = p.owner_id
cross join lateral (
    select date_trunc('milliseconds', greatest(p.updated_at, max(b.changed_at))) as updated_at
    from branches b
    where b.project_id = p.id
) l
where ($2::uuid[] is null or p.id = any($2) or (o.kind = 'organization' and p.owner_id = any($3::uuid[])))
  and ($4::uuid is null or p.owner_id = $4)
  -- $11 is for rows of the service before, whose names are folded in case alone.
  and (
      $5::text is null
      or strpos(p.folded_name, $5) > 0
      or strpos(coalesce(p.folded_name, lower(p.name)), $11) > 0
  )
  and ($8::text is null or p.slug = $8)
  and ($6::uuid is null or case when $9 then (l.updated_at, p.id) < ($10, $6) else p.id < $6 end)
order by case when $9 then l.updated_at end desc, p.id desc
limit $7
