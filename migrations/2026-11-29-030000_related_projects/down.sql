-- Relations over projects go first: the version before shows them to those who don't see both cards.
delete from card_relations r
using cards c, cards o
where c.id = r.card_id and o.id = r.other_card_id and c.project_id <> o.project_id;

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
alter table change_events drop column other_project_id;
drop function history_other_project(jsonb);
comment on table card_relations is
    'A relation between two cards of a project: the first blocks or duplicates the other. Rows: a few for each card.';
drop table related_projects;
