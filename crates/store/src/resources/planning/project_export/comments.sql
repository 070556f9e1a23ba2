-- A page of the comments on the cards of project $1 after comment $3 on card $2, in the order of cards and comments.
select m.id, m.card_id, m.author_id, u.display_name as author_display_name, m.body, m.created_at, m.updated_at
from cards c
join card_comments m on m.card_id = c.id
join users u on u.id = m.author_id
where c.project_id = $1 and c.id >= $2 and (m.card_id, m.id) > ($2, $3)
order by m.card_id, m.id
limit $4
