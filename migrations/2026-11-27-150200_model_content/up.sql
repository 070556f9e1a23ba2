-- Keeps what only models read of a message: their own answers as their servers sent them, and pictures.

alter table session_messages add column model_content jsonb;

comment on column session_messages.model_content is
    'What only models read: an answer as its server sent it, or the pictures of a tool''s result; null: nothing more.';
