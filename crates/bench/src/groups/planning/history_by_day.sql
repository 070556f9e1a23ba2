select date_trunc('day', occurred_at) as day, kind, count(*)
from card_history
where project_id = $1 and occurred_at >= $2::timestamptz
group by 1, 2
