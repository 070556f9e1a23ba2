with boards as (
    select
        c.card_id,
        c.heads,
        coalesce(array_agg(p.team_id order by p.team_id) filter (where p.team_id is not null), '{}') as team_ids,
        coalesce(array_agg(p.status_id order by p.team_id) filter (where p.team_id is not null), '{}') as status_ids,
        coalesce(array_agg(p.sprint_id order by p.team_id) filter (where p.sprint_id is not null), '{}') as sprint_ids,
        coalesce(
            jsonb_agg(
                jsonb_build_object(
                    'team_id', p.team_id, 'status_id', p.status_id, 'status_name', s.name, 'status_color', s.color,
                    'sprint_id', p.sprint_id
                )
                order by p.team_id
            ) filter (where p.team_id is not null),
            '[]'
        ) as statuses,
        coalesce(
            jsonb_agg(
                jsonb_build_object('team_id', p.team_id, 'status_id', p.status_id, 'sprint_id', p.sprint_id)
                order by p.team_id
            ) filter (where p.team_id is not null),
            '[]'
        ) as placements
    from unnest($1::uuid[], $2::jsonb[]) as c (card_id, heads)
    left join team_cards p on p.card_id = c.card_id
    left join team_statuses s on s.id = p.status_id
    group by c.card_id, c.heads
)
update index_cards i
set team_ids = b.team_ids, team_status_ids = b.status_ids, sprint_ids = b.sprint_ids,
    team_statuses = b.statuses, team_placements = b.placements, board_heads = i.board_heads || b.heads
from boards b
where i.card_id = b.card_id
returning i.team_ids, i.team_status_ids, i.sprint_ids, i.team_statuses, i.team_placements
