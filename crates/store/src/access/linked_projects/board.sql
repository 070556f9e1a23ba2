-- Team $1 of organization $2 with the roles of user $3, and the last change of what its board may show. A row for each
-- way in which the user reaches projects that are linked to the team, or related to these: each way is decided once.
-- With `between` the order of events is that of one index alone: by `=` PostgreSQL may walk the events of all streams.
with on_board as materialized (
    select l.project_id, l.linked_at from team_projects l where l.team_id = $1
    union
    select r.other_project_id, null
    from team_projects l
    join related_projects r on r.project_id = l.project_id
    where l.team_id = $1
)
select
    t.id, t.organization_id, t.name, t.description, t.status, t.visibility, t.time_zone, t.created_at, t.updated_at,
    tm.role as team_role, om.role as organization_role,
    e.sequence, e.occurred_at,
    w.owner_id, w.owner_kind, w.project_visibility, w.project_role, w.owner_role,
    w.project_ids, w.project_names, w.project_keys, w.project_slugs, w.linked_at
from teams t
left join team_members tm on tm.team_id = t.id and tm.user_id = $3
left join organization_members om on om.organization_id = t.organization_id and om.user_id = $3
cross join (
    select c.sequence, c.occurred_at
    from (
        (
            select e.sequence, e.occurred_at
            from change_events e
            where e.scope_id between $1 and $1
            order by e.scope_id desc, e.sequence desc
            limit 1
        )
        union all
        select e.sequence, e.occurred_at
        from on_board b
        cross join lateral (
            select e.sequence, e.occurred_at
            from change_events e
            where e.scope_id between b.project_id and b.project_id and e.is_of_cards
            order by e.scope_id desc, e.sequence desc
            limit 1
        ) e
        union all
        select r.deleted_sequence, null from change_event_retention r
    ) c
    order by c.sequence desc
    limit 1
) e
left join (
    select
        g.owner_id, g.visibility as project_visibility, g.project_role,
        o.kind as owner_kind,
        m.role as owner_role,
        g.project_ids, g.project_names, g.project_keys, g.project_slugs, g.linked_at
    from (
        select
            p.owner_id, p.visibility, pm.role as project_role,
            array_agg(p.id) as project_ids, array_agg(p.name) as project_names, array_agg(p.key) as project_keys,
            array_agg(p.slug) as project_slugs, array_agg(b.linked_at) as linked_at
        from on_board b
        join projects p on p.id = b.project_id
        left join project_members pm on pm.project_id = p.id and pm.user_id = $3
        group by p.owner_id, p.visibility, pm.role
    ) g
    join owners o on o.id = g.owner_id
    left join organization_members m on m.organization_id = g.owner_id and m.user_id = $3
) w on true
where t.id = $1 and t.organization_id = $2
