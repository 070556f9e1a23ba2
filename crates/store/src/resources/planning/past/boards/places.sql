-- The places of cards on the board of team $1 at time $2. These cards stand there now, or have moved since: so the cost is
-- that of both, not of the board's age. A renumbering of a column after a card's move has its rank.
with candidates as (
    select p.card_id
    from team_cards p
    where p.team_id = $1
    union
    select h.card_id
    from card_history h
    where history_board(h.changes) = $1 and h.kind in ('placed', 'moved', 'removed') and h.occurred_at > $2
)
select
    c.card_id, h.project_id, h.place,
    (
        select r.ranks ->> c.card_id::text
        from column_renumberings r
        where r.team_id = $1 and r.occurred_at <= $2 and r.sequence > h.sequence and r.ranks ? c.card_id::text
        order by r.sequence desc
        limit 1
    ) as new_rank
from candidates c
cross join lateral (
    select h.project_id, h.sequence, h.changes #> '{team_placement,after}' as place
    from card_history h
    where h.card_id = c.card_id
      and h.kind in ('placed', 'moved', 'removed') and history_board(h.changes) = $1 and h.occurred_at <= $2
    order by h.sequence desc
    limit 1
) h
where jsonb_typeof(h.place) = 'object'
