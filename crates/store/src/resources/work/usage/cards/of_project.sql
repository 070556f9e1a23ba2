-- The page after ($5, $6) of the cards of project $1 by their parts of the runs' cost from $2 to $3, with the sums of all
-- pages. Of changes of places on boards, those on the boards of teams $4 count, and relations to cards of
-- other projects don't.
with spent as materialized (
    select u.run_id, sum(u.micro_credits)::bigint as micro_credits, max(u.recorded_at) as as_of
    from usage_events u
    where u.project_id = $1
      and ($2::timestamptz is null or u.occurred_at >= $2)
      and ($3::timestamptz is null or u.occurred_at <= $3)
    group by u.run_id
),
changed as (
    select
        s.micro_credits, h.card_id, h.is_own,
        count(*) over (partition by s.run_id) as cards,
        row_number() over (partition by s.run_id order by h.card_id) - 1 as before
    from spent s
    join session_runs r on r.id = s.run_id
    cross join lateral (
        -- An agent that completes a sprint changes cards of other projects, too.
        select h.card_id, bool_or(h.project_id = $1) as is_own
        from card_history h
        where h.actor_session_id = r.session_id
          and h.occurred_at >= r.started_at and (r.ended_at is null or h.occurred_at <= r.ended_at)
          and (h.kind not in ('placed', 'moved', 'removed') or history_board(h.changes) = any($4))
          and (h.kind not in ('linked', 'unlinked') or history_other_project(h.changes) is null)
        group by h.card_id
    ) h
),
parts as materialized (
    -- The remainder of the division goes to the first cards by their ids, one unit each: the parts add up to the cost.
    select
        card_id, count(*) as run_count,
        sum(micro_credits / cards + case when before < micro_credits % cards then 1 else 0 end)::bigint as part
    from changed
    where is_own
    group by card_id
),
sums as (
    select
        (select coalesce(sum(micro_credits), 0)::bigint from spent) as whole,
        (select coalesce(sum(part), 0)::bigint from parts) as of_cards,
        (select max(as_of) from spent) as as_of
),
page as (
    select *
    from parts
    where $5::bigint is null or (part, card_id) < ($5, $6)
    order by part desc, card_id desc
    limit $7
)
select s.whole, s.of_cards, s.as_of, p.card_id, c.name, p.part, p.run_count
from sums s
left join page p on true
left join cards c on c.id = p.card_id
order by p.part desc, p.card_id desc
