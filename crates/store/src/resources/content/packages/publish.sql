with published as (
    insert into packages (branch_id, object_id, project_id, description, commit_hash, updated_at)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (branch_id, object_id) do update
    set description = excluded.description, commit_hash = excluded.commit_hash, updated_at = excluded.updated_at
)
insert into package_versions
    (branch_id, object_id, commit_hash, project_id, name, object_count, published_by, published_at)
values ($1, $2, $5, $3, $7, $8, $9, $6)
on conflict do nothing
