-- The open cards of project $1 in started columns of teams $2: the 100 whose work began first, and the number of all.
with standing as materialized (
    select p.card_id, min(p.placed_at) as placed_at
    from team_cards p
    join team_statuses s on s.id = p.status_id
    join cards c on c.id = p.card_id
    where p.team_id = any($2::uuid[]) and c.project_id = $1 and c.is_open and s.transition_state = 'started'
    group by p.card_id
),
places as (
    select
        d.card_id, h.sequence, h.occurred_at, p.team_id, p.status_id, p.state,
        lead(h.sequence) over (partition by d.card_id, p.team_id order by h.sequence) as next_sequence
    from standing d
    join card_history h on h.card_id = d.card_id and h.project_id = $1
    cross join lateral (
        select
            history_board(h.changes) as team_id,
            (h.changes #>> '{team_placement,after,status_id}')::uuid as status_id,
            h.changes #>> '{team_placement,after,transition_state}' as state
    ) p
    where h.kind in ('placed', 'moved', 'removed') and p.team_id = any($2::uuid[])
),
starts as (
    -- As in done.sql.
    select p.card_id, min(case when p.state = 'started' then p.occurred_at else t.occurred_at end) as started_at
    from places p
    left join team_status_transitions t
        on t.team_id = p.team_id and t.status_id = p.status_id and t.transition_state = 'started'
        and t.sequence > p.sequence and (p.next_sequence is null or t.sequence < p.next_sequence)
    group by p.card_id
)
select
    c.id, k.key, c.number, c.name, coalesce(s.started_at, d.placed_at) as since, count(*) over () as total
from standing d
join cards c on c.id = d.card_id
join projects k on k.id = c.project_id
left join starts s on s.card_id = d.card_id
order by since, c.id
limit 100
