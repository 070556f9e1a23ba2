select h.changes #> '{team_placement,before}' as place
from card_history h
where h.card_id = $1 and h.kind = 'removed' and history_board(h.changes) = $2
order by h.sequence desc
limit 1
