-- Drops the previews that nobody has looked at since $1, and of the others those that have not been looked at for the
-- longest time, until $2 bytes are left. Returns their number. The sweep removes their blobs.
with sizes as (
    select p.project_id, p.sha256, p.used_at, coalesce(sum(d.size_bytes), 0) as size_bytes
    from previews p
    left join derived_files d on d.project_id = p.project_id and d.sha256 = p.sha256
    group by p.project_id, p.sha256
), ranked as (
    select s.*, sum(s.size_bytes) over (order by s.used_at desc, s.project_id, s.sha256) as up_to_here
    from sizes s
), dropped as (
    delete from previews p
    using ranked r
    where p.project_id = r.project_id
        and p.sha256 = r.sha256
        and p.lease_until < clock_timestamp()
        and (r.used_at < $1 or r.up_to_here > $2)
    returning 1
)
select count(*) as dropped from dropped
