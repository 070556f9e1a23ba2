select
    t.id, t.name, t.description, t.color, t.status,
    (select count(*) from card_tag_links l where l.tag_id = t.id) as card_count
from card_tags t
where t.project_id = $1 and ($2::uuid is null or t.id = $2)
order by t.folded_name
