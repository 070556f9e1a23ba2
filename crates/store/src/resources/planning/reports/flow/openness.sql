-- How the numbers of open and closed cards of project $1 changed from $3 on: by the position of the day among those
-- that begin at $2, whose last one is the end; and the present numbers, without a day.
with changes as (
    select
        width_bucket(
            -- An import keeps the times of its file, which are earlier than its rows.
            case h.kind
                when 'created' then least(h.occurred_at, c.created_at)
                when 'closed' then greatest(c.created_at, least(h.occurred_at, c.closed_at))
                else h.occurred_at
            end,
            $2::timestamptz[]
        ) - 1 as day,
        case h.kind when 'created' then 1 else 0 end as created,
        case h.kind when 'closed' then -1 else 1 end as opened,
        case h.kind when 'created' then 0 when 'closed' then 1 else -1 end as closed
    from card_history h
    left join cards c on c.id = h.card_id and c.project_id = $1
    where h.project_id = $1 and h.kind in ('created', 'closed', 'reopened') and h.occurred_at >= $3
    union all
    select
        width_bucket(h.occurred_at, $2::timestamptz[]) - 1,
        0,
        case when p.was_open then -1 else 0 end,
        case when p.was_open then 0 else -1 end
    from card_history h
    cross join lateral (
        select coalesce((h.changes #>> '{is_open,before}')::boolean, true) as was_open
    ) p
    where h.project_id = $1 and h.kind = 'deleted' and h.occurred_at >= $3
)
select day, sum(created)::bigint as created, sum(opened)::bigint as opened, sum(closed)::bigint as closed
from changes
where day >= 0
group by day
union all
select null, 0, o.cards, a.cards - o.cards
from (select count(*) as cards from cards where project_id = $1) a
cross join (select count(*) as cards from index_cards where project_id = $1 and is_open) o
