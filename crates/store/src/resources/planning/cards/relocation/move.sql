with known as (
    insert into sprint_cards (sprint_id, card_id)
    select $2, id from unnest($3::uuid[]) as id where $2::uuid is not null
    on conflict do nothing
)
update team_cards p
set sprint_id = $2
where p.team_id = $1 and p.card_id = any($3)
