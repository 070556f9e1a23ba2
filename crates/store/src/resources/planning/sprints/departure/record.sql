-- Keeps the history of project $1's cards for the reports of sprints that are not completed. Each card that is in one of
-- them is removed from it, at $2.
with kept as (
    insert into departed_card_history (sprint_id, sequence, card_id, project_id, changes, occurred_at)
    select t.id, h.sequence, h.card_id, h.project_id, f.changes, h.occurred_at
    from sprint_cards s
    join sprints t on t.id = s.sprint_id and t.status <> 'completed'
    join card_history h on h.card_id = s.card_id
    cross join lateral (
        select coalesce(jsonb_object_agg(f.key, f.value), '{}') as changes
        from jsonb_each(h.changes) f
        where f.key in ('effort', 'is_open', 'team_placement')
    ) f
    where h.project_id = $1
      and h.kind in ('created', 'updated', 'closed', 'reopened', 'placed', 'moved', 'removed', 'deleted')
)
insert into departed_card_history (sprint_id, sequence, card_id, project_id, changes, occurred_at)
select
    t.id, next_card_history_sequence(), c.id, c.project_id,
    jsonb_build_object('team_placement', jsonb_build_object(
        'before', jsonb_build_object(
            'team_id', p.team_id, 'status_id', p.status_id, 'transition_state', s.transition_state,
            'sprint_id', p.sprint_id, 'rank', p.rank
        ),
        'after', null
    )),
    $2
from cards c
join team_cards p on p.card_id = c.id
join team_statuses s on s.id = p.status_id
join sprints t on t.id = p.sprint_id and t.status <> 'completed'
where c.project_id = $1
