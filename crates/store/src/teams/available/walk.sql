with newest as (
    select c.*
    from unnest($1::uuid[]) as p (id)
    cross join lateral (
        select c.id, c.project_id, c.updated_at
        from cards c
        where c.project_id = p.id and c.is_open
          and ($3::timestamptz is null or (c.updated_at <= $3 and (c.updated_at < $3 or c.id > $4)))
        order by c.updated_at desc, c.id
        limit $8
    ) c
    order by c.updated_at desc, c.id
),
-- Of what is newer than this, nothing was left out.
horizon as (
    select max(oldest) as updated_at
    from (select min(updated_at) as oldest from newest group by project_id having count(*) = $8) as cut
),
page as (
    select c.*
    from newest n
    join index_cards i on i.card_id = n.id
    join cards c on c.id = n.id
    where n.updated_at > coalesce((select updated_at from horizon), '-infinity')
      and strpos(i.search_document, $6) > 0
      and n.id not in (select t.card_id from team_cards t where t.team_id = $2)
    order by n.updated_at desc, n.id
    limit $5
)
