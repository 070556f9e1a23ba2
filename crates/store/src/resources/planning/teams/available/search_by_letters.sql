with found as materialized (
    select i.card_id
    from index_cards i
    where string_to_array(i.search_document, null) @> string_to_array($6, null)
      and (length($6) = 1 or strpos(i.search_document, $6) > 0)
      and i.is_open
      -- A hashed subquery: `any` of a parameter compares each card with all projects. `is true` prevents a join.
      and (i.project_id in (select unnest($1::uuid[]))) is true
      and $2 <> all(i.team_ids)
),
total as materialized (select count(*) as total from found),
nearest as (
    select c.*
    from found f
    -- `offset 0` forces a look-up by key. Otherwise PostgreSQL may overestimate the matches and scan all cards.
    cross join lateral (select c.* from cards c where c.id = f.card_id offset 0) c
    where (select total from total) <= $8
      and ($3::timestamptz is null or (c.updated_at <= $3 and (c.updated_at < $3 or c.id > $4)))
    order by c.updated_at desc, c.id
    limit $5
),
page as (
    select n.*, i.tag_ids, i.user_ids, i.board_heads
    from nearest n
    join index_cards i on i.card_id = n.id
)
select t.total, p.*
from total t
left join (
    select
        c.id, c.project_id, c.name, c.created_at, c.updated_at, c.deadline, c.effort, c.history_head_id,
        c.history_head_sequence, c.board_heads, c.tag_ids,
        (select u.display_name from users u where u.id = c.created_by) as author_display_name,
        case when c.user_ids = '{}' then '[]' else (
            select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'display_name', a.display_name) order by n), '[]')
            from unnest(c.user_ids) with ordinality as x (id, n)
            join users a on a.id = x.id
        ) end as assignees,
        case when c.tag_ids = '{}' then '[]' else (
            select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color) order by n), '[]')
            from unnest(c.tag_ids) with ordinality as x (id, n)
            join card_tags t on t.id = x.id
        ) end as tags
    from page c
    order by c.updated_at desc, c.id
) p on true
order by p.updated_at desc, p.id
