-- The cards of project $2 that were below card $1 at time $3 on all levels, counted. Level 9 is one too many, and ends
-- the search. A card is below the one that the last change of its parent names, until it is deleted.
with recursive below as (
    select $1::uuid as id, 1 as level
    union all
    select h.card_id, b.level + 1
    from below b
    join card_history h on h.changes #>> '{parent_id,after}' = b.id::text
    where b.level < 9
      and h.project_id = $2 and h.occurred_at <= $3
      and not exists (
          select
          from card_history n
          where n.card_id = h.card_id and n.occurred_at <= $3
            and (n.kind = 'deleted' or (n.sequence > h.sequence and n.changes ? 'parent_id'))
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
