-- Steps of import $1 from number $2 on: their levels and what they do.
insert into import_items (import_id, position, level, item)
select $1, $2 - 1 + step.position, step.level, step.item
from unnest($3::integer[], $4::jsonb[]) with ordinality as step (level, item, position)
