-- The status of the last run of each of the sessions $1 that has had one. Runs follow one another, and each begins with its
-- prompt: so the last of them is the last message's, whatever the clocks of their processes said.
select s.id as session_id, r.status
from unnest($1) as s (id)
cross join lateral (
    select m.run_id
    from session_messages m
    where m.session_id = s.id and m.run_id is not null
    order by m.sequence desc
    limit 1
) last
join session_runs r on r.id = last.run_id
