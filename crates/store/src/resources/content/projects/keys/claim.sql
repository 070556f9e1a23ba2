-- Gives key $2 of owner $1 to project $3, unless another project has it or, at $4, lately had it.
with claimed as (
    insert into project_keys as k (owner_id, key, project_id)
    values ($1, $2, $3)
    on conflict (owner_id, key) do update set project_id = excluded.project_id, kept_until = null
    where k.project_id = excluded.project_id or (k.project_id is null and coalesce(k.kept_until, $4) <= $4)
    returning key
)
update projects p set key = c.key from claimed c where p.id = $3
