-- The number of relations of card $1 to cards of project $2.
select count(*) as relations
from (
    select other_card_id as other_id from card_relations where card_id = $1
    union all
    select card_id from card_relations where other_card_id = $1
) r
join cards c on c.id = r.other_id
where c.project_id = $2
