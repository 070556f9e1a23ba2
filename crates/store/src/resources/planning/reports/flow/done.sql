-- The cards of project $1 that were closed from $3 on, before $4, and stayed closed until then: by the position of the
-- day among those that begin at $2, and all of them, without a day. Work is in progress on the boards of teams $5. If
-- $6, only cards that were on one of these count, except as done.
with ends as (
    select
        h.card_id, h.kind, h.sequence,
        -- An import keeps the times of its file, which are earlier than its rows.
        case h.kind
            when 'closed' then greatest(c.created_at, least(h.occurred_at, c.closed_at))
            else h.occurred_at
        end as occurred_at
    from card_history h
    left join cards c on c.id = h.card_id and c.project_id = $1
    where h.project_id = $1 and h.kind in ('closed', 'reopened', 'deleted') and h.occurred_at >= $3
),
last_ends as (
    select distinct on (card_id) card_id, kind, occurred_at
    from ends
    where occurred_at < $4
    order by card_id, occurred_at desc, sequence desc
),
done as materialized (
    select
        e.card_id, e.occurred_at as closed_at,
        coalesce(
            c.created_at,
            (select min(h.occurred_at) from card_history h where h.card_id = e.card_id and h.kind = 'created')
        ) as created_at,
        coalesce(
            c.effort,
            (
                select max((h.changes #>> '{effort,before}')::integer)
                from card_history h
                where h.card_id = e.card_id and h.kind = 'deleted'
            ),
            0
        ) as effort
    from last_ends e
    left join cards c on c.id = e.card_id
    where e.kind = 'closed' and e.occurred_at >= $3
),
places as (
    select
        d.card_id, h.sequence, h.occurred_at, p.team_id, p.status_id, p.state,
        lead(h.sequence) over (partition by d.card_id, p.team_id order by h.sequence) as next_sequence
    from done d
    join card_history h on h.card_id = d.card_id and h.project_id = $1
    cross join lateral (
        select
            history_board(h.changes) as team_id,
            (h.changes #>> '{team_placement,after,status_id}')::uuid as status_id,
            h.changes #>> '{team_placement,after,transition_state}' as state
    ) p
    where cardinality($5::uuid[]) > 0
      and h.kind in ('placed', 'moved', 'removed') and h.occurred_at < $4 and p.team_id = any($5::uuid[])
),
starts as (
    -- A column that becomes one of work in progress takes its cards along.
    select p.card_id, min(case when p.state = 'started' then p.occurred_at else t.occurred_at end) as started_at
    from places p
    left join team_status_transitions t
        on t.team_id = p.team_id and t.status_id = p.status_id and t.transition_state = 'started'
        and t.sequence > p.sequence and (p.next_sequence is null or t.sequence < p.next_sequence)
    group by p.card_id
),
measured as (
    select
        width_bucket(d.closed_at, $2::timestamptz[]) - 1 as day, d.effort,
        (not $6::boolean or s.card_id is not null) as is_counted,
        floor(extract(epoch from d.closed_at - d.created_at))::bigint as lead_secs,
        case
            when s.started_at <= d.closed_at then floor(extract(epoch from d.closed_at - s.started_at))::bigint
        end as cycle_secs
    from done d
    left join starts s on s.card_id = d.card_id
)
select
    day,
    count(*) as done,
    count(*) filter (where is_counted) as cards,
    coalesce(sum(effort) filter (where is_counted), 0)::bigint as effort,
    percentile_disc(array[0.5, 0.85, 0.95]::float8[]) within group (order by lead_secs)
        filter (where is_counted) as lead_percentiles,
    round(avg(lead_secs) filter (where is_counted))::bigint as lead_mean,
    count(cycle_secs) filter (where is_counted) as cycle_cards,
    percentile_disc(array[0.5, 0.85, 0.95]::float8[]) within group (order by cycle_secs)
        filter (where is_counted and cycle_secs is not null) as cycle_percentiles,
    round(avg(cycle_secs) filter (where is_counted))::bigint as cycle_mean
from measured
group by grouping sets ((day), ())
