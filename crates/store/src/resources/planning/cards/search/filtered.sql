-- The page of the cards in projects $1 that match a filter: the first of each project, and of these the first. Last changed
-- first; filter.rs writes the other orders, and the first page. The parameters of the filter are those of list.sql.
select c.id
from unnest($1::uuid[]) as p (id)
cross join lateral (
    select c.id, c.updated_at, c.deadline, c.priority
    from cards c
    join index_cards i on i.card_id = c.id
    cross join lateral (
        select case
            when c.deadline is null then 'none'
            when not c.is_open or c.deadline >= $16 then ''
            when c.deadline < $15 then 'late'
            else 'week'
        end as term
    ) due
    where c.project_id = p.id
      and ($2::boolean is null or c.is_open = $2)
      and ($3::uuid[] is null
          or c.id in (
              select l.card_id
              from card_tag_links l
              where l.tag_id = any($3)
              group by l.card_id
              having count(*) = cardinality($3)
          )
          or (cardinality($3) = 1 and array_position($3, null) is not null and i.tag_ids = '{}'))
      and not i.tag_ids && $4::uuid[]
      and (array_position($4, null) is null or i.tag_ids <> '{}')
      and ($5::uuid[] is null
          or c.id in (select a.card_id from card_assignees a where a.user_id = any($5))
          or (array_position($5, null) is not null and i.user_ids = '{}'))
      and not i.user_ids && $6::uuid[]
      and (array_position($6, null) is null or i.user_ids <> '{}')
      and ($7::text is null or i.search_document like $7)
      and ($8::timestamptz is null or c.updated_at >= $8)
      and ($9::uuid[] is null or c.created_by = any($9))
      and c.created_by <> all($10::uuid[])
      and ($11::timestamptz is null or c.deadline >= $11)
      and ($12::timestamptz is null or c.deadline < $12)
      and ($13::text[] is null or due.term = any($13))
      and due.term <> all($14::text[])
      and ($17::uuid[] is null
          or c.id in (select t.card_id from team_cards t where t.team_id = any($17))
          or (array_position($17, null) is not null and not i.team_ids && $23::uuid[]))
      and not i.team_ids && $18::uuid[]
      and (array_position($18, null) is null or i.team_ids && $23::uuid[])
      and ($19::uuid[] is null
          or c.id in (select t.card_id from team_cards t where t.status_id = any($19))
          or (array_position($19, null) is not null and not i.team_ids && $23::uuid[]))
      and not i.team_status_ids && $20::uuid[]
      and (array_position($20, null) is null or i.team_ids && $23::uuid[])
      and ($21::uuid[] is null
          or c.id in (select t.card_id from team_cards t where t.sprint_id = any($21))
          or (array_position($21, null) is not null and not exists (
              select
              from team_cards t
              where t.card_id = c.id and t.sprint_id is not null and t.team_id = any($23::uuid[])
          )))
      and not i.sprint_ids && $22::uuid[]
      and (array_position($22, null) is null or exists (
          select
          from team_cards t
          where t.card_id = c.id and t.sprint_id is not null and t.team_id = any($23::uuid[])
      ))
      and ($24::text[] is null or c.priority = any($24))
      and c.priority <> all($25::text[])
      and ($26::text[] is null or c.type = any($26))
      and c.type <> all($27::text[])
      and ($28::uuid[] is null
          -- An array, unlike a subquery with `in`, is looked up by the index of ids.
          or c.id = any(array(
              select n.id from cards n where n.parent_id = any($28)
              union all
              select f.card_id
              from far_parents f
              join cards a on a.id = f.parent_id
              where f.parent_id = any($28) and a.project_id = any($31::uuid[])
          ))
          or (array_position($28, null) is not null and c.parent_id is null and not exists (
              select
              from far_parents f
              join cards a on a.id = f.parent_id
              where f.card_id = c.id and a.project_id = any($31::uuid[])
          )))
      and (c.parent_id = any($29::uuid[])) is not true
      and ($29 = '{}' or not exists (
          select
          from far_parents f
          join cards a on a.id = f.parent_id
          where f.card_id = c.id and f.parent_id = any($29) and a.project_id = any($31::uuid[])
      ))
      and (array_position($29, null) is null or c.parent_id is not null or exists (
          select
          from far_parents f
          join cards a on a.id = f.parent_id
          where f.card_id = c.id and a.project_id = any($31::uuid[])
      ))
      and ($30::boolean is null or $30 = exists (
          select
          from card_relations r
          join cards b on b.id = r.card_id
          where r.other_card_id = c.id and r.kind = 'blocks' and b.is_open
            and (b.project_id = c.project_id or b.project_id = any($31::uuid[]))
      ))
      and (c.updated_at, c.id) < ($33, $34)
    order by c.updated_at desc, c.id desc
    limit $32
) c
order by c.updated_at desc, c.id desc
limit $32
