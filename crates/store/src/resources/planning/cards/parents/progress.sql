-- The cards below card $1 on all levels, counted. Those of other projects than that of the card above them count if they are of
-- projects $2, and so do the cards below them. Level 9 is one too many, and ends the search.
with recursive below as (
    select $1::uuid as id, 1 as level, true as is_open, 0 as effort
    union all
    select p.id, b.level + 1, p.is_open, p.effort
    from below b
    cross join lateral (
        select c.id, c.is_open, c.effort from cards c where c.parent_id = b.id
        union all
        select c.id, c.is_open, c.effort
        from far_parents f
        join cards c on c.id = f.card_id
        where f.parent_id = b.id and c.project_id = any($2::uuid[])
    ) p
    where b.level < 9
)
select
    count(*) as total,
    count(*) filter (where not is_open) as closed,
    coalesce(sum(effort), 0)::bigint as effort,
    coalesce(sum(effort) filter (where not is_open), 0)::bigint as closed_effort
from below
where level > 1
