with placed as (
    select
        p.status_id, p.sprint_id, p.rank, c.id, c.name, c.project_id, c.is_open, c.effort, c.deadline,
        c.history_head_id, c.history_head_sequence,
        count(*) over of_column as column_cards,
        sum(c.effort) over of_column as column_effort
    from team_cards p
    join cards c on c.id = p.card_id
    where p.team_id = $1 and c.project_id = any($2)
    window of_column as (partition by p.status_id)
),
shown as (
    select *
    from placed
    where (not $3 or sprint_id is null)
      and ($4::uuid is null or sprint_id = $4)
      and ($5::uuid is null or project_id = $5)
      and ($6::uuid is null or id in (select a.card_id from card_assignees a where a.user_id = $6))
),
assignees as (
    select
        a.card_id,
        jsonb_agg(jsonb_build_object('id', u.id, 'display_name', u.display_name) order by u.display_name, u.id) as list
    from shown
    join card_assignees a on a.card_id = shown.id
    join users u on u.id = a.user_id
    group by a.card_id
),
tags as (
    select
        l.card_id,
        jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color) order by t.folded_name) as list
    from shown
    join card_tag_links l on l.card_id = shown.id
    join card_tags t on t.id = l.tag_id
    group by l.card_id
),
loads as (
    select distinct status_id, column_cards, column_effort from placed
)
select
    case when row_number() over (partition by s.id order by c.rank) = 1 then jsonb_build_object(
        'id', s.id, 'name', s.name, 'description', s.description, 'position', s.position, 'color', s.color,
        'status', s.status, 'transition_state', s.transition_state, 'closeMode', s.close_mode,
        'wip_limit', s.wip_limit, 'wip_policy', s.wip_policy, 'wip_unit', s.wip_unit, 'team_id', s.team_id
    ) end as status,
    coalesce(n.column_cards, 0) as column_cards,
    coalesce(n.column_effort, 0)::bigint as column_effort,
    c.id, c.name, c.project_id, j.name as project_name, c.is_open, c.effort, c.deadline, c.sprint_id, c.rank,
    coalesce(a.list, '[]') as assignees,
    coalesce(t.list, '[]') as tags,
    c.history_head_id, c.history_head_sequence
from team_statuses s
left join loads n on n.status_id = s.id
left join shown c on c.status_id = s.id
left join projects j on j.id = c.project_id
left join assignees a on a.card_id = c.id
left join tags t on t.card_id = c.id
where s.team_id = $1
order by s.position, c.rank
