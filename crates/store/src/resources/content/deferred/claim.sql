-- Takes a deferred conversion of a random user, the oldest of a random project: however many files one user has, each
-- other user's is taken as often. $1 is the salt of the choice.
with next as (
    select d.branch_id, d.object_id
    from deferred_conversions d
    where d.lease_until < clock_timestamp()
        and d.user_id = (
            select waiting.user_id
            from (select distinct user_id from deferred_conversions where lease_until < clock_timestamp()) waiting
            order by md5(waiting.user_id::text || $1)
            limit 1
        )
    order by md5(d.project_id::text || $1), d.created_at
    limit 1
    for update skip locked
), taken as (
    update deferred_conversions d
    set attempts = d.attempts + 1, lease_until = clock_timestamp() + interval '60 seconds'
    from next
    where d.branch_id = next.branch_id and d.object_id = next.object_id
    returning d.*
)
select
    t.branch_id, t.object_id, t.project_id, t.session_id, t.user_id, t.upload_id, t.name, t.attempts, f.sha256,
    f.size_bytes, f.blob_key
from taken t
join files f on f.project_id = t.project_id and f.sha256 = t.sha256
