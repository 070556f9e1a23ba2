-- The status of the last run of each session among $1 that has had a run. The last run is that of the last message: runs
-- follow one another, and each begins with its prompt. Times are not compared, because clocks of processes differ.
select s.id as session_id, r.id as run_id, r.status
from unnest($1::uuid[]) as s (id)
cross join lateral (
    select m.run_id
    from session_messages m
    where m.session_id = s.id and m.run_id is not null
    order by m.sequence desc
    limit 1
) last
join session_runs r on r.id = last.run_id
