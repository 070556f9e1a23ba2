-- Moments of the past: what cards and boards show and card_history doesn't hold, as it was after each change.

comment on index card_history_parents is 'The cards that were ever children of a card.';
comment on index card_history_board_moves is 'The cards that moved on a board since a moment.';

create table board_layouts (
    id bigint generated always as identity,
    organization_id uuid not null references organizations (id) on delete cascade,
    team_id uuid not null,
    statuses jsonb not null check (jsonb_typeof(statuses) = 'array'),
    occurred_at timestamptz not null,
    primary key (team_id, id)
);
comment on table board_layouts is
    'The columns of a team''s board after a change of one. Grows: one row for each change, until the organization is '
    'deleted.';
comment on column board_layouts.team_id is 'No foreign key: cards were on the board of a team that was deleted.';
comment on column board_layouts.statuses is 'All columns in their order, as the API names their fields.';

create index board_layouts_organization on board_layouts (organization_id);
comment on index board_layouts_organization is 'The foreign key.';

create table column_renumberings (
    team_id uuid not null references teams (id) on delete cascade,
    sequence bigint not null default next_card_history_sequence(),
    ranks jsonb not null check (jsonb_typeof(ranks) = 'object'),
    occurred_at timestamptz not null,
    primary key (team_id, sequence)
);
comment on table column_renumberings is
    'New ranks of cards that stayed where they were. Grows: one row each time that a column has no short rank left.';
comment on column column_renumberings.sequence is 'Its place among the rows of card_history, whose numbers it shares.';
comment on column column_renumberings.ranks is 'By card.';

create table card_tag_versions (
    id bigint generated always as identity,
    project_id uuid not null references projects (id) on delete cascade,
    tag_id uuid not null,
    name text not null,
    folded_name text not null,
    color text not null,
    occurred_at timestamptz not null,
    primary key (project_id, tag_id, id)
);
comment on table card_tag_versions is
    'A name and a color of a tag since a moment. Grows: one row for each change of a tag.';
comment on column card_tag_versions.tag_id is 'No foreign key: the row outlives the tag.';

create table deleted_cards (
    id uuid primary key,
    project_id uuid not null references projects (id) on delete cascade,
    number bigint,
    created_by uuid not null,
    created_at timestamptz not null,
    closed_at timestamptz
);
comment on table deleted_cards is
    'What the history of a deleted card doesn''t tell. Grows: one row for each deleted card, until its project is '
    'deleted.';
comment on column deleted_cards.created_by is 'No foreign key, as in card_history.';

create index deleted_cards_project on deleted_cards (project_id);
comment on index deleted_cards_project is 'The foreign key.';

-- What is known of the past begins here.
insert into board_layouts (organization_id, team_id, statuses, occurred_at)
select
    t.organization_id, t.id,
    coalesce(
        jsonb_agg(
            jsonb_build_object(
                'id', s.id, 'name', s.name, 'description', s.description, 'position', s.position, 'color', s.color,
                'status', s.status, 'transition_state', s.transition_state, 'closeMode', s.close_mode,
                'wip_limit', s.wip_limit, 'wip_policy', s.wip_policy, 'wip_unit', s.wip_unit, 'team_id', s.team_id
            )
            order by s.position
        ) filter (where s.id is not null),
        '[]'
    ),
    now()
from teams t
left join team_statuses s on s.team_id = t.id
group by t.organization_id, t.id;

insert into card_tag_versions (project_id, tag_id, name, folded_name, color, occurred_at)
select project_id, id, name, folded_name, color, now() from card_tags;
