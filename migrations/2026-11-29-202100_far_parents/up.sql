-- Parents of cards in other projects of the same owner.

create table far_parents (
    card_id uuid primary key references cards (id) on delete cascade,
    parent_id uuid not null references cards (id) on delete cascade,
    constraint far_parents_others check (card_id <> parent_id)
);
comment on table far_parents is
    'A card whose parent is of another project, instead of cards.parent_id: readers must see both. Rows: few.';
comment on constraint far_parents_others on far_parents is 'No card is its own parent.';

create index far_parents_parent on far_parents (parent_id);
comment on index far_parents_parent is 'The children of a card in other projects; the foreign key.';

create or replace function history_other_project(changes jsonb) returns uuid language sql immutable parallel safe as $$
    select coalesce(
        changes #>> '{relation,after,project_id}', changes #>> '{relation,before,project_id}',
        changes #>> '{parent,after,project_id}', changes #>> '{parent,before,project_id}'
    )::uuid
$$;
