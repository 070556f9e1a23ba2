-- The open cards of projects $2 whose texts mention user $1, the newest mention first, one more than are answered.
select m.card_id as id, max(m.mentioned_at) as mentioned_at
from card_mentions m
join cards c on c.id = m.card_id
where m.user_id = $1 and c.is_open and c.project_id in (select unnest($2::uuid[]))
group by m.card_id
order by max(m.mentioned_at) desc, m.card_id
limit 101
