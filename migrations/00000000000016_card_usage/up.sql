-- Finds the cards that a session changed: what runs cost is shown by card.
create index card_history_session on card_history (actor_session_id, occurred_at) where actor_session_id is not null;
