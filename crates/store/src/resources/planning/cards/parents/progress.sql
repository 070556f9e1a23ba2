-- The cards below card $1 on all levels, counted. Level 9 is one too many, and ends the search.
with recursive below as (
    select c.id, c.is_open, c.effort, 2 as level from cards c where c.parent_id = $1
    union all
    select c.id, c.is_open, c.effort, b.level + 1
    from below b
    join cards c on c.parent_id = b.id
    where b.level < 9
)
select
    count(*) as total,
    count(*) filter (where not is_open) as closed,
    coalesce(sum(effort), 0)::bigint as effort,
    coalesce(sum(effort) filter (where not is_open), 0)::bigint as closed_effort
from below
