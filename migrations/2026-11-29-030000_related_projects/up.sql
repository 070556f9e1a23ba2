-- Relations between cards of several projects of one owner.

create table related_projects (
    project_id uuid not null references projects (id) on delete cascade,
    other_project_id uuid not null references projects (id) on delete cascade,
    primary key (project_id, other_project_id),
    constraint related_projects_others check (project_id <> other_project_id)
);
comment on table related_projects is
    'Two projects whose cards are or were related, in both orders: a reader is asked about the other one. Rows: few.';
comment on constraint related_projects_others on related_projects is 'Relations within a project need no row.';

create index related_projects_other on related_projects (other_project_id);
comment on index related_projects_other is 'The foreign key.';

comment on table card_relations is
    'A relation between two cards of one owner: the first blocks or duplicates the other. Rows: a few for each card.';

create function history_other_project(changes jsonb) returns uuid language sql immutable parallel safe as $$
    select coalesce(changes #>> '{relation,after,project_id}', changes #>> '{relation,before,project_id}')::uuid
$$;
comment on function history_other_project(jsonb) is
    'The project of the other card, if a row tells of a card of another project: readers must see both.';

alter table change_events add column other_project_id uuid;
comment on column change_events.other_project_id is
    'A second project with a card of which the event tells: a reader must be permitted to read its cards, too.';

create or replace function board_revision(team uuid) returns text language plpgsql as $$
declare
    horizon bigint;
    last_sequence bigint;
    last_occurred_at timestamptz;
begin
    -- Else all statements would share a snapshot, which may be older than the horizon.
    if current_setting('transaction_isolation') <> 'read committed' then
        return null;
    end if;
    -- The next statement has a snapshot of its own, which sees all up to the horizon.
    horizon := change_event_horizon();
    select c.sequence, c.occurred_at into last_sequence, last_occurred_at
    from (
        (select e.sequence, e.occurred_at from change_events e where e.scope_id = team order by e.sequence desc limit 1)
        union all
        -- A card of another project may block one on the board.
        select e.sequence, e.occurred_at
        from (
            select l.project_id from team_projects l where l.team_id = team
            union
            select r.other_project_id
            from team_projects l
            join related_projects r on r.project_id = l.project_id
            where l.team_id = team
        ) p
        cross join lateral (
            select e.sequence, e.occurred_at
            from change_events e
            where e.scope_id = p.project_id and e.is_of_cards
            order by e.sequence desc
            limit 1
        ) e
        union all
        select r.deleted_sequence, null from change_event_retention r
    ) c
    order by c.sequence desc
    limit 1;
    if last_sequence > horizon then
        return null;
    end if;
    return format('%s %s', last_sequence, last_occurred_at);
end
$$;
