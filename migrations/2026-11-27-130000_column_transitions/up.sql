-- Changes of what columns mean, so that reports on sprints judge cards by their column as it was at each time.

create table team_status_transitions (
    team_id uuid not null references teams (id) on delete cascade,
    sequence bigint not null default next_card_history_sequence(),
    status_id uuid not null,
    transition_state text not null check (transition_state in ('not_started', 'started', 'closed')),
    occurred_at timestamptz not null,
    primary key (team_id, sequence)
);
comment on table team_status_transitions is
    'A change of a column''s transition state. Grows: one for each change, until its team is deleted.';
comment on column team_status_transitions.sequence is
    'Its place among the rows of card_history, whose numbers it shares.';
comment on column team_status_transitions.status_id is 'No foreign key: the row outlives the column.';
comment on column team_status_transitions.transition_state is 'The new state.';

-- Columns that changed under cards before: their cards are judged by the column as it is from now on.
insert into team_status_transitions (team_id, status_id, transition_state, occurred_at)
select team_id, id, transition_state, now() from team_statuses;
