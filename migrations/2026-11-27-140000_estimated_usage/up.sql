-- Tells calls of models whose tokens are estimated, and what an agent may do by default.

alter table usage_events add column is_estimated boolean not null default false;

comment on column usage_events.is_estimated is
    'The model''s server did not count all tokens; they are estimated from the bytes of the texts.';
comment on column sessions.auto_approved is
    'The effects that tools of its runs have without a question; null: the default, read and write.';
