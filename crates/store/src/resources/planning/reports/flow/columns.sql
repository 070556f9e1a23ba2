-- How the numbers of cards of project $1 in the columns of team $4 changed from $3 on: by column, and by the position
-- of the day among those that begin at $2, whose last one is the end; and the present numbers, without a day.
with moves as (
    select width_bucket(h.occurred_at, $2::timestamptz[]) - 1 as day, p.before_id, p.after_id
    from card_history h
    cross join lateral (
        select
            (h.changes #>> '{team_placement,before,status_id}')::uuid as before_id,
            (h.changes #>> '{team_placement,after,status_id}')::uuid as after_id
    ) p
    where h.project_id = $1 and h.kind in ('placed', 'moved', 'removed') and h.occurred_at >= $3
      and history_board(h.changes) = $4
      and p.before_id is distinct from p.after_id
)
select c.status_id, m.day, sum(c.cards)::bigint as cards
from moves m
cross join lateral (values (m.before_id, -1), (m.after_id, 1)) as c (status_id, cards)
where m.day >= 0 and c.status_id is not null
group by c.status_id, m.day
union all
select p.status_id, null, count(*)
from team_cards p
join cards c on c.id = p.card_id
where p.team_id = $4 and c.project_id = $1
group by p.status_id
