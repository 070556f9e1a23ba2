-- The relations of card $1, by kind and number of the other card.
select r.kind, r.is_first, c.id, p.key as project_key, c.number, c.name, c.is_open
from (
    select kind, true as is_first, other_card_id as other_id from card_relations where card_id = $1
    union all
    select kind, false, card_id from card_relations where other_card_id = $1
) r
join cards c on c.id = r.other_id
join projects p on p.id = c.project_id
order by r.kind, r.is_first desc, c.number, c.id
