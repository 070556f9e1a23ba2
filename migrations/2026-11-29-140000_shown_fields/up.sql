-- Custom fields that boards show on their cards.

alter table custom_fields add column is_shown boolean not null default false;
comment on column custom_fields.is_shown is 'Boards show its values on cards.';
