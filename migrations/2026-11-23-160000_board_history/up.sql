-- Boards in history: a card's heads by board, readers of deleted teams, and what reports need of deleted projects.

create function history_board(changes jsonb) returns uuid language sql immutable parallel safe as $$
    select coalesce(
        changes #>> '{team_placement,after,team_id}', changes #>> '{team_placement,before,team_id}'
    )::uuid
$$;
comment on function history_board(jsonb) is
    'The team on whose board a card was placed, moved or removed; null for a change of the card itself.';

alter table index_cards add column board_heads jsonb not null default '{}';
comment on column index_cards.board_heads is
    'By team: id and sequence of the last history row of the card on the team''s board, also after it has left.';

comment on column cards.history_head_id is
    'The card''s last row in card_history that is not of a board. See index_cards.board_heads for the others.';
comment on column cards.updated_at is 'Last change of the card itself. A place on a board doesn''t count.';

create table deleted_teams (
    id uuid primary key,
    organization_id uuid not null references organizations (id) on delete cascade,
    visibility text not null check (visibility in ('private', 'internal')),
    deleted_at timestamptz not null
);
comment on table deleted_teams is
    'A team that was deleted: who could see it still sees its board in the history of cards. Rows: one for each.';

create index deleted_teams_organization on deleted_teams (organization_id);
comment on index deleted_teams_organization is 'The foreign key.';

create table deleted_team_members (
    team_id uuid not null references deleted_teams (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    role text not null check (role in ('member', 'manager')),
    primary key (team_id, user_id)
);
comment on table deleted_team_members is
    'A user''s role in a team at its deletion. Rows: one for each membership.';

create index deleted_team_members_user on deleted_team_members (user_id);
comment on index deleted_team_members_user is 'The foreign key.';

create table departed_card_history (
    sprint_id uuid not null references sprints (id) on delete cascade,
    sequence bigint not null,
    card_id uuid not null,
    project_id uuid not null,
    changes jsonb not null,
    occurred_at timestamptz not null,
    primary key (sprint_id, sequence)
);
comment on table departed_card_history is
    'The history of a card that was in a sprint when its project was deleted, as far as the sprint''s report counts it. '
    'Grows: with each deletion of a project whose cards are in sprints.';
comment on column departed_card_history.project_id is 'No foreign key: the project is gone.';
comment on column departed_card_history.changes is 'As in card_history, without names.';
