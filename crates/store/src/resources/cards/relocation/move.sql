with heads as (
    select * from unnest($3, $4, $5) as h (card_id, id, sequence)
),
touched as (
    update cards c
    set updated_at = greatest($6, c.updated_at), history_head_id = h.id, history_head_sequence = h.sequence
    from heads h
    where c.id = h.card_id
    returning c.id
),
known as (
    insert into sprint_cards (sprint_id, card_id)
    select $2, t.id from touched t where $2::uuid is not null
    on conflict do nothing
)
update team_cards p
set sprint_id = $2
from touched t
where p.team_id = $1 and p.card_id = t.id
