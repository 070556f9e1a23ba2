-- Teams as a whole: what 1 began (teams and their members), columns, linked projects, sprints, and cards on boards.

alter table teams
    add column description text not null default '' check (length(description) <= 10000),
    -- Free text (specification, "Team").
    add column status text not null default 'active' check (status <> '' and length(status) <= 255),
    add column updated_at timestamptz,
    -- The name as `domain::search` folds it.
    add column folded_name text;
update teams set updated_at = created_at, folded_name = lower(name);
alter table teams alter column updated_at set not null, alter column folded_name set not null;
-- Internal teams alone: that a private team's name is taken would tell that there is one.
create unique index teams_organization_name_key on teams (organization_id, folded_name) where visibility = 'internal';

create table team_statuses (
    id uuid primary key,
    team_id uuid not null references teams (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    folded_name text not null,
    description text not null check (length(description) <= 10000),
    -- A key of `domain::position`: compared bytewise.
    position text collate "C" not null check (position <> ''),
    color text not null check (color ~ '^#[0-9A-F]{6}$'),
    -- Free text (specification, "Workflow status").
    status text not null check (status <> '' and length(status) <= 255),
    transition_state text not null check (transition_state in ('not_started', 'started', 'closed')),
    close_mode text not null check (close_mode in ('off', 'manual', 'automatic')),
    -- Null: no limit.
    wip_limit integer check (wip_limit > 0),
    wip_policy text not null check (wip_policy in ('warn', 'block')),
    wip_unit text not null check (wip_unit in ('count', 'effort')),
    created_at timestamptz not null,
    constraint team_statuses_team_name_key unique (team_id, folded_name),
    constraint team_statuses_team_position_key unique (team_id, position),
    -- For the references of cards on the board, so that they are of the same team.
    unique (team_id, id)
);

create table team_projects (
    team_id uuid not null references teams (id) on delete cascade,
    project_id uuid not null references projects (id) on delete cascade,
    linked_at timestamptz not null,
    primary key (team_id, project_id)
);
create index team_projects_project on team_projects (project_id);

create table sprints (
    id uuid primary key,
    team_id uuid not null references teams (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    description text not null check (length(description) <= 10000),
    status text not null check (status in ('planned', 'active', 'completed')),
    start_date timestamptz,
    end_date timestamptz check (end_date >= start_date),
    created_at timestamptz not null,
    -- When it was started and completed, and the number in the card history at which it was.
    started_at timestamptz,
    started_sequence bigint,
    completed_at timestamptz,
    completed_sequence bigint,
    -- Frozen at completion.
    report jsonb,
    unique (team_id, id),
    check ((status = 'planned') = (started_at is null)),
    check ((status = 'completed') = (completed_at is not null)),
    check ((status = 'completed') = (report is not null)),
    check (status = 'planned' or (start_date is not null and end_date is not null))
);

-- A card's place on a team's board.
create table team_cards (
    team_id uuid not null references teams (id) on delete cascade,
    card_id uuid not null references cards (id) on delete cascade,
    status_id uuid not null,
    sprint_id uuid,
    -- A key of `domain::position` within the column.
    rank text collate "C" not null check (rank <> ''),
    placed_at timestamptz not null,
    primary key (team_id, card_id),
    constraint team_cards_status_rank_key unique (status_id, rank),
    constraint team_cards_status_fkey foreign key (team_id, status_id) references team_statuses (team_id, id),
    constraint team_cards_sprint_fkey foreign key (team_id, sprint_id) references sprints (team_id, id)
);
create index team_cards_card on team_cards (card_id);
create index team_cards_sprint on team_cards (sprint_id) where sprint_id is not null;

-- Every card that has been in a sprint, present and past: where a report looks for history. Outlives the card.
create table sprint_cards (
    sprint_id uuid not null references sprints (id) on delete cascade,
    card_id uuid not null,
    primary key (sprint_id, card_id)
);

-- Open cards of a project, the latest changed first: what a team's search for cards walks along.
create index cards_available on cards (project_id, updated_at desc, id) where is_open;
