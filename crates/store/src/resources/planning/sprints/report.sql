with reported as (
    select h.sequence, h.card_id, h.project_id, h.occurred_at, h.changes
    from sprint_cards s
    join card_history h on h.card_id = s.card_id
    where s.sprint_id = $1
      and h.kind in ('created', 'updated', 'closed', 'reopened', 'placed', 'moved', 'removed', 'deleted')
    union all
    select d.sequence, d.card_id, d.project_id, d.occurred_at, d.changes
    from departed_card_history d
    where d.sprint_id = $1
)
select
    r.sequence, r.card_id, r.project_id, r.occurred_at,
    coalesce(
        (
            select jsonb_object_agg(f.key, f.value)
            from jsonb_each(r.changes) f
            where f.key in ('name', 'effort', 'is_open', 'team_placement')
        ),
        '{}'
    ) as changes
from reported r
where $2::bigint is null or r.sequence <= $2
order by r.sequence
