-- Those of cards $2 that are on the board of team $1, or were removed from it.
select p.card_id
from team_cards p
where p.team_id = $1 and p.card_id = any($2)
union
select h.card_id
from card_history h
where h.card_id = any($2) and h.kind = 'removed' and history_board(h.changes) = $1
