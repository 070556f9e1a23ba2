-- Claims the making of the preview of file $2 of project $1 by version $3 of the maker, unless that is done, given up, or
-- being done.
insert into previews as p (project_id, sha256, maker, attempts, lease_until, used_at)
select f.project_id, f.sha256, $3, 1, clock_timestamp() + interval '60 seconds', clock_timestamp()
from files f
where f.project_id = $1 and f.sha256 = $2
for key share of f
on conflict (project_id, sha256) do update
set maker = excluded.maker,
    attempts = case when p.maker = excluded.maker then p.attempts + 1 else 1 end,
    lease_until = excluded.lease_until,
    shape = null,
    failure = null,
    finished_at = null
where p.maker <> excluded.maker or (p.finished_at is null and p.lease_until < clock_timestamp())
returning p.attempts
