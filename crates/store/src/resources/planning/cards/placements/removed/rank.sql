select
    coalesce(bool_or(p.rank = $2), false) as is_taken,
    min(p.rank) filter (where p.rank > $2) as next,
    max(p.rank) as last
from team_cards p
where p.status_id = $1
