-- The cards of projects $2 that were below card $1 at time $3 on all levels, counted. Level 9 is one too many, and ends
-- the search. A card is below the one that the last change of its parent names, of its own project or of another one, until
-- it is deleted.
with recursive below as (
    select $1::uuid as id, 1 as level
    union all
    select h.card_id, b.level + 1
    from below b
    cross join lateral (
        select n.card_id, n.project_id, n.sequence, 'parent_id' as field
        from card_history n
        where n.changes #>> '{parent_id,after}' = b.id::text and n.occurred_at <= $3
        union all
        select n.card_id, n.project_id, n.sequence, 'parent'
        from card_history n
        where n.changes #>> '{parent,after,id}' = b.id::text and n.occurred_at <= $3
    ) h
    where b.level < 9
      and h.project_id = any($2::uuid[])
      and not exists (
          select
          from card_history n
          where n.card_id = h.card_id and n.occurred_at <= $3
            and (n.kind = 'deleted' or (n.sequence > h.sequence and jsonb_exists(n.changes, h.field)))
      )
),
children as (
    select
        coalesce(
            (
                select (n.changes #>> '{is_open,after}')::boolean
                from card_history n
                where n.card_id = b.id and n.occurred_at <= $3 and n.changes ? 'is_open'
                order by n.sequence desc
                limit 1
            ),
            true
        ) as is_open,
        coalesce(
            (
                select (n.changes #>> '{effort,after}')::bigint
                from card_history n
                where n.card_id = b.id and n.occurred_at <= $3 and n.changes ? 'effort'
                order by n.sequence desc
                limit 1
            ),
            0
        ) as effort
    from below b
    where b.level > 1
)
select
    count(*) as total,
    count(*) filter (where not is_open) as closed,
    coalesce(sum(effort), 0)::bigint as effort,
    coalesce(sum(effort) filter (where not is_open), 0)::bigint as closed_effort
from children
