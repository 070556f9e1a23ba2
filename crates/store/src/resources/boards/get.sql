-- The board of team $1 with the cards of projects $2. `materialized` and the lateral joins make PostgreSQL read the columns
-- first and look up the rest card by card. The plan stays linear even if the estimate of cards is wrong.
with columns as materialized (
    select s.*, n.cards, n.load
    from team_statuses s
    cross join lateral (
        select count(*) as cards, coalesce(sum(c.effort), 0)::bigint as load
        from team_cards p
        join cards c on c.id = p.card_id
        where p.status_id = s.id and c.project_id = any($2)
    ) n
    where s.team_id = $1
)
select
    case when row_number() over (partition by s.id order by c.rank) = 1 then jsonb_build_object(
        'id', s.id, 'name', s.name, 'description', s.description, 'position', s.position, 'color', s.color,
        'status', s.status, 'transition_state', s.transition_state, 'closeMode', s.close_mode,
        'wip_limit', s.wip_limit, 'wip_policy', s.wip_policy, 'wip_unit', s.wip_unit, 'team_id', s.team_id
    ) end as status,
    s.cards as column_cards,
    s.load as column_effort,
    c.id, c.name, c.project_id, c.project_name, c.is_open, c.effort, c.deadline, c.sprint_id, c.rank,
    coalesce(a.list, '[]') as assignees,
    coalesce(t.list, '[]') as tags,
    c.history_head_id, c.history_head_sequence, c.board_heads
from columns s
left join lateral (
    select
        p.rank, p.sprint_id, c.id, c.name, c.project_id, j.name as project_name, c.is_open, c.effort, c.deadline,
        c.history_head_id, c.history_head_sequence, i.board_heads
    from team_cards p
    join cards c on c.id = p.card_id
    join index_cards i on i.card_id = c.id
    join projects j on j.id = c.project_id
    where p.status_id = s.id
      and c.project_id = any($2)
      and (not $3 or p.sprint_id is null)
      and ($4::uuid is null or p.sprint_id = $4)
      and ($5::uuid is null or c.project_id = $5)
      and ($6::uuid is null or exists (select from card_assignees a where a.card_id = c.id and a.user_id = $6))
) c on true
left join lateral (
    select
        jsonb_agg(jsonb_build_object('id', u.id, 'display_name', u.display_name) order by u.display_name, u.id) as list
    from card_assignees a
    join users u on u.id = a.user_id
    where a.card_id = c.id
) a on true
left join lateral (
    select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color) order by t.folded_name) as list
    from card_tag_links l
    join card_tags t on t.id = l.tag_id
    where l.card_id = c.id
) t on true
order by s.position, c.rank
