alter table usage_events drop column is_estimated;

comment on column sessions.auto_approved is
    'The effects that tools of its runs have without a question; null: all.';
