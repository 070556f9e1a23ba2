-- The calls that are charged to an owner, or of a project or session, $1. Only the part for $6 is executed.
with counted as (
    select *
    from (
        select * from usage_events where $6 = 'owner' and owner_id = $1
        union all
        select * from usage_events where $6 = 'project' and project_id = $1
        union all
        select * from usage_events where $6 = 'session' and session_id = $1
    ) e
    where ($2::timestamptz is null or occurred_at >= $2)
      and ($3::timestamptz is null or occurred_at <= $3)
      and ($4::uuid[] is null or project_id = any($4))
),
keyed as (
    select
        c.*,
        case when $5::text = 'model' then c.provider end as key_provider,
        case when $5::text = 'model' then c.model end as key_model,
        case when $5::text = 'project' then c.project_id end as key_project,
        case when $5::text = 'session' then c.session_id end as key_session,
        case when $5::text = 'day' then date_trunc('day', c.occurred_at, 'UTC') end as key_day
    from counted c
)
-- One row with the total, even without usage, and one for each group.
select
    grouping(key_day) = 1 as is_total,
    max(recorded_at) as as_of,
    key_provider as provider, key_model as model, key_project as project_id, key_session as session_id, key_day as day,
    coalesce(sum(micro_credits), 0)::bigint as micro_credits,
    coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
    coalesce(sum(completion_tokens), 0)::bigint as completion_tokens,
    coalesce(sum(reasoning_tokens), 0)::bigint as reasoning_tokens,
    coalesce(sum(cache_write_tokens), 0)::bigint as cache_write_tokens,
    coalesce(sum(cache_read_tokens), 0)::bigint as cache_read_tokens,
    count(*) as event_count,
    count(*) filter (where is_estimated) as estimated_event_count
from keyed
group by grouping sets ((), (key_provider, key_model, key_project, key_session, key_day))
-- The largest cost first; days in their order.
order by key_day, sum(micro_credits) desc, key_provider collate "C", key_model collate "C", key_project, key_session
