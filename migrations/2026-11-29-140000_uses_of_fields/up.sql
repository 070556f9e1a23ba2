-- Custom fields that boards show on their cards, and those of objects.

alter table custom_fields add column is_shown boolean not null default false;
comment on column custom_fields.is_shown is 'Boards show its values on cards.';

alter table custom_fields add column applies_to text not null default 'cards';
comment on column custom_fields.applies_to is 'What has values of it: cards, objects or both.';
alter table custom_fields add constraint custom_fields_applies_to check (applies_to in ('cards', 'objects', 'both'))
    not valid;
comment on constraint custom_fields_applies_to on custom_fields is 'The names of the crate domain.';

alter table custom_fields add column object_type text;
comment on column custom_fields.object_type is 'The type of the objects that have values of it. Null: all.';
