-- The time of a branch's last change of content, by which projects tell when something last happened in them.

alter table branches add column changed_at timestamptz;
comment on column branches.changed_at is
    'Time of the last change of head or working changes; null where none came since the column did.';
