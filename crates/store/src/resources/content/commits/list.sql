-- Walks from commits $2 to their ancestors, newest first, for $3 steps. `ahead` holds the numbers of the commits that are
-- reached and not yet passed. The greatest is next: a commit's number is greater than those of its ancestors.
with recursive passed (step, number, oid, ahead) as (
    select 0::bigint, null::bigint, null::bytea, $2::bigint[]
    union all
    select
        passed.step + 1, next.number, next.oid,
        array(
            select reached from unnest(passed.ahead) as reached where reached < next.number
            union
            select parent.number
            from unnest(next.parents) as followed
            cross join lateral (
                select number from commits where project_id = $1 and commits.oid = followed limit 1
            ) parent
        )
    from passed
    cross join lateral (
        select number, oid, parents
        from commits
        where project_id = $1 and number = (select max(reached) from unnest(passed.ahead) as reached)
        limit 1
    ) next
    where passed.step < $3
)
select passed.oid, passed.number, passed.ahead, o.data
from passed
cross join lateral (
    select data from git_objects where project_id = $1 and git_objects.oid = passed.oid limit 1
) o
order by passed.number desc
