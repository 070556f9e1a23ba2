-- Facts of card $1 of project $2: those that never change, its last closing, and its last change up to time $3. It may
-- be deleted, also by a service that kept nothing of deleted cards.
select
    p.key as project_key, f.number, f.created_by, f.created_at, f.closed_at,
    coalesce(u.display_name, '') as author_display_name,
    (
        -- A row may have waited for a later request's.
        select max(h.occurred_at)
        from card_history h
        where h.card_id = $1 and h.occurred_at <= $3
          and h.kind not in ('placed', 'moved', 'removed')
          and (h.kind not in ('linked', 'unlinked') or history_other_project(h.changes) is null)
    ) as updated_at
from (
    select 1 as preference, c.number, c.created_by, c.created_at, c.closed_at
    from cards c
    where c.id = $1 and c.project_id = $2
    union all
    select 2, d.number, d.created_by, d.created_at, d.closed_at
    from deleted_cards d
    where d.id = $1 and d.project_id = $2
    union all
    select 3, null, h.actor_user_id, h.occurred_at, null
    from card_history h
    where h.card_id = $1 and h.project_id = $2 and h.kind = 'created'
) f
join projects p on p.id = $2
left join users u on u.id = f.created_by
order by f.preference
limit 1
