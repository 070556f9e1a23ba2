-- Commit $2 of project $1 and the first parents before it, newest first, $3 in all.
with recursive line (step, oid, parent) as (
    select 1::bigint, oid, parents[1] from commits where project_id = $1 and oid = $2
    union all
    select line.step + 1, before.oid, before.parent
    from line
    cross join lateral (
        select oid, parents[1] as parent from commits where project_id = $1 and commits.oid = line.parent limit 1
    ) before
    where line.step < $3
)
select oid from line order by step
