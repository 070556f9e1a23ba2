-- The runs that changed card $1, with their cost and the card's part: the $2 largest parts. Of changes of places on boards,
-- those on the boards of teams $3 count, and relations to cards of other projects don't.
with runs as (
    select distinct r.id, r.session_id, r.started_at, r.ended_at
    from card_history h
    join session_runs r
        on r.session_id = h.actor_session_id
        and h.occurred_at >= r.started_at and (r.ended_at is null or h.occurred_at <= r.ended_at)
    where h.card_id = $1
      and (h.kind not in ('placed', 'moved', 'removed') or history_board(h.changes) = any($3))
      and (h.kind not in ('linked', 'unlinked') or history_other_project(h.changes) is null)
),
costs as (
    select r.id, r.session_id, changed.cards, changed.before, spent.micro_credits, spent.as_of
    from runs r
    cross join lateral (
        select count(distinct h.card_id) as cards, count(distinct h.card_id) filter (where h.card_id < $1) as before
        from card_history h
        where h.actor_session_id = r.session_id
            and h.occurred_at >= r.started_at and (r.ended_at is null or h.occurred_at <= r.ended_at)
            and (h.kind not in ('placed', 'moved', 'removed') or history_board(h.changes) = any($3))
            and (h.kind not in ('linked', 'unlinked') or history_other_project(h.changes) is null)
    ) changed
    cross join lateral (
        select coalesce(sum(u.micro_credits), 0)::bigint as micro_credits, max(u.recorded_at) as as_of
        from usage_events u
        where u.session_id = r.session_id and u.run_id = r.id
    ) spent
),
parts as (
    -- The remainder of the division goes to the first cards by their ids, one unit each: the parts add up to the cost.
    select *, micro_credits / cards + case when before < micro_credits % cards then 1 else 0 end as part from costs
)
select
    session_id, id as run_id, part, micro_credits, cards,
    sum(part) over ()::bigint as whole, count(*) over () as run_count, max(as_of) over () as as_of
from parts
order by part desc, run_id
limit $2
