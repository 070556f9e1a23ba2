-- Teams: an organization's teams, their boards of columns, and their sprints.

create table teams (
    id uuid primary key,
    organization_id uuid not null references organizations (id) on delete cascade,
    name text not null check (name <> ''),
    folded_name text not null,
    description text not null default '' check (length(description) <= 10000),
    visibility text not null check (visibility in ('private', 'internal')),
    status text not null default 'active' check (status <> '' and length(status) <= 255),
    created_at timestamptz not null,
    updated_at timestamptz not null
);
comment on table teams is 'A team of an organization, with one board. Rows: one for each team.';
comment on column teams.folded_name is 'The name without case and accents, as domain::search folds it.';
comment on column teams.status is 'Free text.';

create index teams_organization on teams (organization_id);
comment on index teams_organization is 'An organization''s teams.';

create unique index teams_organization_name_key on teams (organization_id, folded_name) where visibility = 'internal';
comment on index teams_organization_name_key is
    'Internal teams alone: a conflict with a private team''s name would disclose that team.';

create table team_members (
    team_id uuid not null references teams (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    role text not null check (role in ('member', 'manager')),
    created_at timestamptz not null,
    primary key (team_id, user_id)
);
comment on table team_members is 'A user''s role in a team. Rows: one for each membership.';

create index team_members_user on team_members (user_id);
comment on index team_members_user is 'A user''s teams.';

create table team_projects (
    team_id uuid not null references teams (id) on delete cascade,
    project_id uuid not null references projects (id) on delete cascade,
    linked_at timestamptz not null,
    primary key (team_id, project_id)
);
comment on table team_projects is 'A project whose cards the team may put on its board. Rows: one for each link.';

create index team_projects_project on team_projects (project_id);
comment on index team_projects_project is 'The teams that work on a project.';

create table team_statuses (
    id uuid primary key,
    team_id uuid not null references teams (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    folded_name text not null,
    description text not null check (length(description) <= 10000),
    position text collate "C" not null check (position <> ''),
    color text not null check (color ~ '^#[0-9A-F]{6}$'),
    status text not null check (status <> '' and length(status) <= 255),
    transition_state text not null check (transition_state in ('not_started', 'started', 'closed')),
    close_mode text not null check (close_mode in ('off', 'manual', 'automatic')),
    wip_limit integer check (wip_limit > 0),
    wip_policy text not null check (wip_policy in ('warn', 'block')),
    wip_unit text not null check (wip_unit in ('count', 'effort')),
    created_at timestamptz not null,
    constraint team_statuses_team_name_key unique (team_id, folded_name),
    constraint team_statuses_team_position_key unique (team_id, position),
    unique (team_id, id)
);
comment on table team_statuses is 'A column of a team''s board. Rows: a few for each team.';
comment on column team_statuses.folded_name is 'The name without case and accents, as domain::search folds it: unique.';
comment on column team_statuses.position is 'Orders the columns bytewise: a key of domain::position.';
comment on column team_statuses.status is 'Free text.';
comment on column team_statuses.transition_state is 'The state of work that the column stands for.';
comment on column team_statuses.close_mode is 'Cards that enter are closed: never, on request, or always.';
comment on column team_statuses.wip_limit is 'Maximum work in progress, in wip_unit; null: no limit.';
comment on column team_statuses.wip_policy is 'A card above the limit enters with a warning, or is refused.';
comment on constraint team_statuses_team_id_id_key on team_statuses is
    'The target of team_cards_status_fkey, so that card and column are of one team.';

create table sprints (
    id uuid primary key,
    team_id uuid not null references teams (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    description text not null check (length(description) <= 10000),
    status text not null check (status in ('planned', 'active', 'completed')),
    start_date timestamptz,
    end_date timestamptz,
    created_at timestamptz not null,
    started_at timestamptz,
    started_sequence bigint,
    completed_at timestamptz,
    completed_sequence bigint,
    report jsonb,
    unique (team_id, id),
    constraint sprints_dates check (end_date >= start_date),
    constraint sprints_scheduled check (status = 'planned' or (start_date is not null and end_date is not null)),
    constraint sprints_started check ((status = 'planned') = (started_at is null)),
    constraint sprints_completed check ((status = 'completed') = (completed_at is not null)),
    constraint sprints_reported check ((status = 'completed') = (report is not null))
);
comment on table sprints is 'A period of a team''s work with the cards to be done in it. Rows: one for each sprint.';
comment on column sprints.started_sequence is 'The last history number at its start: the report counts from here.';
comment on column sprints.completed_sequence is 'The last history number at its completion: the report counts to here.';
comment on column sprints.report is 'Computed from history at completion, and kept as it was.';
comment on constraint sprints_team_id_id_key on sprints is
    'The target of team_cards_sprint_fkey, so that card and sprint are of one team.';
comment on constraint sprints_dates on sprints is 'No sprint ends before it starts.';
comment on constraint sprints_scheduled on sprints is 'A sprint has both dates once it has started.';
comment on constraint sprints_started on sprints is 'Exactly the planned ones have not started.';
comment on constraint sprints_completed on sprints is 'Exactly the completed ones have a time of completion.';
comment on constraint sprints_reported on sprints is 'Exactly the completed ones have a report.';

create table team_cards (
    team_id uuid not null references teams (id) on delete cascade,
    card_id uuid not null references cards (id) on delete cascade,
    status_id uuid not null,
    sprint_id uuid,
    rank text collate "C" not null check (rank <> ''),
    placed_at timestamptz not null,
    primary key (team_id, card_id),
    constraint team_cards_status_rank_key unique (status_id, rank),
    constraint team_cards_status_fkey foreign key (team_id, status_id) references team_statuses (team_id, id),
    constraint team_cards_sprint_fkey foreign key (team_id, sprint_id) references sprints (team_id, id)
);
comment on table team_cards is 'A card''s place on a team''s board. Rows: one for each card on each board.';
comment on column team_cards.sprint_id is 'The sprint that the card is in; null: the backlog.';
comment on column team_cards.rank is 'Orders the column''s cards bytewise: a key of domain::position.';

create index team_cards_card on team_cards (card_id);
comment on index team_cards_card is 'The boards that a card is on.';

create index team_cards_sprint on team_cards (sprint_id) where sprint_id is not null;
comment on index team_cards_sprint is 'A sprint''s cards.';

create table sprint_cards (
    sprint_id uuid not null references sprints (id) on delete cascade,
    card_id uuid not null,
    primary key (sprint_id, card_id)
);
comment on table sprint_cards is
    'A card that is or was in a sprint: its report reads the history of these. Rows: one for each card of each sprint.';
comment on column sprint_cards.card_id is 'No foreign key: the row outlives the card.';
