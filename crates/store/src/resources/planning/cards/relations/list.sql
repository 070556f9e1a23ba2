-- The relations of cards $1 to cards of their project and of projects $2, by card, kind and key of the other card.
select r.card_id, r.kind, r.is_first, c.id, c.project_id, p.key as project_key, c.number, c.name, c.is_open
from (
    select card_id, kind, true as is_first, other_card_id as other_id
    from card_relations
    where card_id = any($1::uuid[])
    union all
    select other_card_id, kind, false, card_id from card_relations where other_card_id = any($1::uuid[])
) r
join cards o on o.id = r.card_id
join cards c on c.id = r.other_id
join projects p on p.id = c.project_id
where c.project_id = o.project_id or c.project_id = any($2::uuid[])
order by r.card_id, r.kind, r.is_first desc, (c.project_id <> o.project_id), p.key, c.number, c.id
