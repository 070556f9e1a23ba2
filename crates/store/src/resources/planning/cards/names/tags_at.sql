-- The names and colors of tags $2 of projects $1 at time $3, in the order of the names. A tag without a known one is
-- absent.
select v.tag_id, v.name, v.color
from (
    select distinct on (v.tag_id) v.tag_id, v.name, v.folded_name, v.color
    from card_tag_versions v
    where v.project_id = any($1) and v.tag_id = any($2) and v.occurred_at <= $3
    order by v.tag_id, v.id desc
) v
order by v.folded_name
