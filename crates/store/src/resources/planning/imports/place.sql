-- Puts cards $2 on the board of team $1: in columns $3, in sprints $4, at ranks $5. The time is $6.
with placed as (
    select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) as p (card_id, status_id, sprint_id, rank)
),
known as (
    insert into sprint_cards (sprint_id, card_id)
    select p.sprint_id, p.card_id from placed p where p.sprint_id is not null
    on conflict do nothing
)
insert into team_cards (team_id, card_id, status_id, sprint_id, rank, placed_at)
select $1, p.card_id, p.status_id, p.sprint_id, p.rank, $6::timestamptz
from placed p
