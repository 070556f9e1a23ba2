insert into card_history (
    card_id, id, project_id, kind, actor_user_id, actor_key_id, actor_session_id, changes, occurred_at
)
select e.card_id, e.id, $1, e.kind, $2, $3, $4, e.changes, $5
from unnest($6::uuid[], $7::uuid[], $8::text[], $9::jsonb[]) with ordinality as e (card_id, id, kind, changes, position)
order by e.position
returning card_id, id, sequence
