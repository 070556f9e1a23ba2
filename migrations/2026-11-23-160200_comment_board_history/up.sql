-- A step of its own: an index that is built concurrently is the one statement of its step.
comment on index card_history_boards is 'The teams whose boards have rows in a project''s history.';
