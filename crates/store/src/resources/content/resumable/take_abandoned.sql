delete from resumable_uploads
where id in (
    select u.id
    from resumable_uploads u
    left join sessions s on s.id = u.session_id
    where (u.expires_at < clock_timestamp() or s.closed_at is not null)
        and (u.leased_until is null or u.leased_until < clock_timestamp())
    limit $1
    for update of u skip locked
)
returning id, project_id, checkpoint
