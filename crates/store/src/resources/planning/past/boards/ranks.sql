-- The last ranks that renumberings gave to cards on the board of team $1 up to time $2, with the number of each.
select distinct on (n.card_id) n.card_id::uuid as card_id, r.sequence, n.rank
from column_renumberings r
cross join lateral jsonb_each_text(r.ranks) as n (card_id, rank)
where r.team_id = $1 and r.occurred_at <= $2
order by n.card_id, r.sequence desc
