-- Revisions of boards, so that what a process has read of one can be told to be still true.

comment on index change_events_of_cards is 'Finds the last change of a project''s cards and tags.';

create function board_revision(team uuid) returns text language plpgsql as $$
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
        select e.sequence, e.occurred_at
        from team_projects l
        cross join lateral (
            select e.sequence, e.occurred_at
            from change_events e
            where e.scope_id = l.project_id and e.is_of_cards
            order by e.sequence desc
            limit 1
        ) e
        where l.team_id = team
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
comment on function board_revision(uuid) is
    'Differs from all earlier ones if anything has changed that the team''s board shows; null while changes are being '
    'committed whose order is open, and where all statements of a transaction share a snapshot.';
