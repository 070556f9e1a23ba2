select
    p.id, p.owner_id, p.name, p.slug, p.description, p.visibility, p.default_branch,
    p.created_by, p.created_at, p.updated_at,
    o.slug as owner_slug
from reachable r
join projects p on p.id = r.id
join owners o on o.id = p.owner_id
where ($2::uuid[] is null or p.id = any($2) or (o.kind = 'organization' and p.owner_id = any($3::uuid[])))
  and ($4::uuid is null or p.owner_id = $4)
  and ($5::text is null or strpos(coalesce(p.folded_name, lower(p.name)), $5) > 0)
  and ($8::text is null or p.slug = $8)
  and ($6::uuid is null or p.id < $6)
order by p.id desc
limit $7
