with page as (
    select c.*
    from index_cards i
    join cards c on c.id = i.card_id
    where i.search_document like $6
      and c.project_id = any($1) and c.is_open
      and ($3::timestamptz is null or (c.updated_at <= $3 and (c.updated_at < $3 or c.id > $4)))
      and not exists (select from team_cards t where t.team_id = $2 and t.card_id = c.id)
    order by c.updated_at desc, c.id
    limit $5
)
