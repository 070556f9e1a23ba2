-- Deletes those of the locked files $2 of project $1 that nothing refers to: no commit, which would hold the pointer of Git LFS
-- with the id in $3, no object of a branch, and no attachment of a card.
with uncommitted as (
    select decode(w.record -> 'file' ->> 'sha256', 'hex') as sha256
    from branches b
    join working_changes w on w.branch_id = b.id
    where b.project_id = $1 and w.record -> 'file' ->> 'sha256' is not null
)
delete from files f
using unnest($2::bytea[], $3::bytea[]) as released (sha256, pointer)
where f.project_id = $1
    and f.sha256 = released.sha256
    and not exists (select from git_objects o where o.project_id = $1 and o.oid = released.pointer)
    and not exists (select from uncommitted u where u.sha256 = released.sha256)
    and not exists (select from card_attachments a where a.project_id = $1 and a.sha256 = released.sha256)
returning f.blob_key
