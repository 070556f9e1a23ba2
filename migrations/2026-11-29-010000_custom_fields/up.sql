-- Custom fields: fields of cards that projects define, and their values.

create table custom_fields (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    folded_name text not null,
    description text not null check (length(description) <= 10000),
    type text not null check (type in ('text', 'number', 'date', 'choice', 'choices', 'user', 'url')),
    unit text not null check (length(unit) <= 20),
    options jsonb not null check (jsonb_typeof(options) = 'array'),
    default_value jsonb,
    is_required boolean not null,
    minimum jsonb check (jsonb_typeof(minimum) = 'number'),
    maximum jsonb check (jsonb_typeof(maximum) = 'number'),
    status text not null check (status in ('active', 'archived')),
    constraint custom_fields_project_name_key unique (project_id, folded_name)
);
comment on table custom_fields is 'A field that a project defines for its cards. Rows: a few for each project.';
comment on column custom_fields.folded_name is 'The name without case, as domain::search folds it: unique.';
comment on column custom_fields.options is 'Of a choice: id, name and is_archived of each, in their order.';
comment on column custom_fields.default_value is 'The value of new cards for which none is given.';

alter table cards add column fields jsonb not null default '{}';
comment on column cards.fields is 'Values of custom fields, by the field''s id.';
alter table cards add constraint cards_fields check (jsonb_typeof(fields) = 'object') not valid;
comment on constraint cards_fields on cards is 'The form of the crate domain.';

create table card_field_values (
    card_id uuid not null references cards (id) on delete cascade,
    field_id uuid not null references custom_fields (id) on delete cascade,
    item integer not null,
    number numeric,
    text text collate "C",
    primary key (card_id, field_id, item),
    constraint card_field_values_type check ((number is null) <> (text is null))
);
comment on table card_field_values is
    'The values of cards.fields for filters: each number, and the beginning of each text. Rows: one for each value.';
comment on column card_field_values.item is 'Numbers the options of one value.';
comment on column card_field_values.text is 'At most 200 characters: an index holds no long ones.';
comment on constraint card_field_values_type on card_field_values is 'A number or a text.';

create index card_field_values_value on card_field_values (field_id, number, text, card_id);
comment on index card_field_values_value is 'The cards with a value, or one in a range; the foreign key.';
