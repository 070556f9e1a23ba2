-- The teams whose boards have rows in the history of project $1. Each step finds the next team by the index, so the
-- number of rows has no effect.
with recursive steps as (
    select (
        select history_board(h.changes)
        from card_history h
        where h.project_id = $1 and h.kind in ('placed', 'moved', 'removed')
        order by history_board(h.changes)
        limit 1
    ) as team_id
    union all
    select (
        select history_board(h.changes)
        from card_history h
        where h.project_id = $1 and h.kind in ('placed', 'moved', 'removed') and history_board(h.changes) > s.team_id
        order by history_board(h.changes)
        limit 1
    )
    from steps s
    where s.team_id is not null
),
named as (select team_id from steps where team_id is not null)
