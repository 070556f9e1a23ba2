-- Appends events of types $1 with data $2, each with one number. The event at a position of $10 has a row in the scope $11, and
-- one at a position of $12 in each team on whose board the card $13 is.
with new as (
    select next_change_event_sequence() as sequence, e.*
    from unnest($1::text[], $2::jsonb[], $3::uuid[], $4::uuid[], $5::boolean[], $6::uuid[], $7::uuid[], $8::uuid[],
        $9::timestamptz[], $14::uuid[]) with ordinality as e (
            type, data, project_id, team_id, is_of_cards, actor_user_id, actor_key_id, actor_session_id, occurred_at,
            other_project_id, position
        )
),
scopes as (
    select s.position, s.scope_id from unnest($10::bigint[], $11::uuid[]) as s (position, scope_id)
    union
    select c.position, b.team_id
    from unnest($12::bigint[], $13::uuid[]) as c (position, card_id)
    cross join lateral (
        select unnest(i.team_ids) as team_id from index_cards i where i.card_id = c.card_id offset 0
    ) b
)
insert into change_events (
    scope_id, sequence, type, data, project_id, team_id, is_of_cards, actor_user_id, actor_key_id, actor_session_id,
    occurred_at, other_project_id
)
select
    s.scope_id, n.sequence, n.type, n.data, n.project_id, n.team_id, n.is_of_cards, n.actor_user_id, n.actor_key_id,
    n.actor_session_id, n.occurred_at, n.other_project_id
from new n
join scopes s on s.position = n.position
