-- The teams whose boards have rows in the history of project $1. Each step finds the next team by the index, so the
-- number of rows has no effect. With the roles of user $2.
with recursive steps as (
    select (
        select history_board(h.changes)
        from card_history h
        where h.project_id = $1 and h.kind in ('placed', 'moved', 'removed')
        order by history_board(h.changes)
        limit 1
    ) as team_id
    union all
    select (
        select history_board(h.changes)
        from card_history h
        where h.project_id = $1 and h.kind in ('placed', 'moved', 'removed') and history_board(h.changes) > s.team_id
        order by history_board(h.changes)
        limit 1
    )
    from steps s
    where s.team_id is not null
),
named as (select team_id from steps where team_id is not null)
select
    t.id, t.organization_id, t.visibility,
    coalesce(tm.role, dm.role) as team_role, om.role as organization_role
from named n
cross join lateral (
    select t.id, t.organization_id, t.visibility from teams t where t.id = n.team_id
    union all
    select d.id, d.organization_id, d.visibility from deleted_teams d where d.id = n.team_id
) t
left join team_members tm on tm.team_id = t.id and tm.user_id = $2
left join deleted_team_members dm on dm.team_id = t.id and dm.user_id = $2
left join organization_members om on om.organization_id = t.organization_id and om.user_id = $2
