-- The cards on the board of team $1, as far as they are of projects $2 and pass the filter; cards of projects $9 can block
-- them, and be their parents. Of sprints, projects and assignees a card must have one of the first list, and none of the second; null in a list is
-- a missing value. `materialized` makes PostgreSQL read the places first and look up each card. The plan stays linear even
-- if the estimate of cards is wrong.
with places as materialized (
    select p.card_id, p.status_id, p.sprint_id, p.rank
    from team_cards p
    where p.team_id = $1
      and ($3::uuid[] is null
          or p.sprint_id = any($3)
          or (array_position($3, null) is not null and p.sprint_id is null))
      and (p.sprint_id = any($4::uuid[])) is not true
      and (array_position($4, null) is null or p.sprint_id is not null)
),
shown as materialized (
    select array_agg(f.id::text) as ids
    from custom_fields f
    where f.project_id = any($2) and f.is_shown and f.status = 'active'
)
select
    p.status_id, p.sprint_id, p.rank, c.id, c.number, c.name, c.project_id, c.is_open, c.effort,
    c.priority, c.type as card_type, c.deadline,
    coalesce(
        c.parent_id,
        (
            select a.id
            from far_parents f
            join cards a on a.id = f.parent_id
            where f.card_id = c.id and a.project_id = any($9::uuid[])
        )
    ) as parent_id,
    exists (
        select
        from card_relations r
        join cards b on b.id = r.card_id
        where r.other_card_id = c.id and r.kind = 'blocks' and b.is_open
          and (b.project_id = c.project_id or b.project_id = any($9::uuid[]))
    ) as is_blocked,
    c.history_head_id, c.history_head_sequence, i.board_heads, i.user_ids, i.tag_ids, i.checklist_total, i.checklist_done,
    case
        when s.ids is null or c.fields = '{}' then '{}'::jsonb
        else (
            select coalesce(
                jsonb_object_agg(
                    v.key,
                    case jsonb_typeof(v.value) when 'string' then to_jsonb(left(v.value #>> '{}', 200)) else v.value end
                ),
                '{}'
            )
            from jsonb_each(c.fields) as v
            where v.key = any(s.ids)
        )
    end as fields
from places p
join cards c on c.id = p.card_id
join index_cards i on i.card_id = p.card_id
cross join shown s
where c.project_id = any($2)
  and ($5::uuid[] is null or c.project_id = any($5))
  and c.project_id <> all($6::uuid[])
  and ($7::uuid[] is null
      or i.user_ids && $7
      or (array_position($7, null) is not null and i.user_ids = '{}'))
  and not i.user_ids && $8::uuid[]
  and (array_position($8, null) is null or i.user_ids <> '{}')
order by p.status_id, p.rank
