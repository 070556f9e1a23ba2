page as (
    select c.*
    from found f
    join cards c on c.id = f.card_id
    where ($3::timestamptz is null or (c.updated_at <= $3 and (c.updated_at < $3 or c.id > $4)))
      and c.id not in (select t.card_id from team_cards t where t.team_id = $2)
    order by c.updated_at desc, c.id
    limit $5
)
