select
    h.sequence, h.card_id, h.project_id, h.occurred_at,
    coalesce(
        (
            select jsonb_object_agg(f.key, f.value)
            from jsonb_each(h.changes) f
            where f.key in ('name', 'effort', 'is_open', 'team_placement')
        ),
        '{}'
    ) as changes
from sprint_cards s
join card_history h on h.card_id = s.card_id
where s.sprint_id = $1
  and h.kind in ('created', 'updated', 'closed', 'reopened', 'placed', 'moved', 'removed', 'deleted')
  and ($2::bigint is null or h.sequence <= $2)
order by h.sequence
