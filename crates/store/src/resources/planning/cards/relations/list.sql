-- The relations of card $1 to cards of its project and of projects $2, by kind and key of the other card.
select r.kind, r.is_first, c.id, c.project_id, p.key as project_key, c.number, c.name, c.is_open
from (
    select kind, true as is_first, other_card_id as other_id from card_relations where card_id = $1
    union all
    select kind, false, card_id from card_relations where other_card_id = $1
) r
join cards o on o.id = $1
join cards c on c.id = r.other_id
join projects p on p.id = c.project_id
where c.project_id = o.project_id or c.project_id = any($2::uuid[])
order by r.kind, r.is_first desc, (c.project_id <> o.project_id), p.key, c.number, c.id
