-- The events of one scope, by the primary key.
select
    e.scope_id, e.sequence, e.type as kind, e.data, e.project_id, e.team_id, e.is_of_cards, e.actor_user_id, e.actor_key_id,
    e.actor_session_id, e.occurred_at, e.other_project_id
from change_events e
where e.scope_id = ($1::uuid[])[1] and e.sequence > $2 and e.sequence <= $3
order by e.sequence
limit $4
