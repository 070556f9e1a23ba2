-- Adds the values $2 of the custom fields of cards $1 to the index of values.
insert into card_field_values (card_id, field_id, item, number, text)
select
    c.card_id, f.key::uuid, v.item::integer,
    case when jsonb_typeof(v.value) = 'number' then v.value::numeric end,
    case when jsonb_typeof(v.value) = 'string' then left(v.value #>> '{}', 200) end
from unnest($1::uuid[], $2::jsonb[]) as c (card_id, fields)
cross join lateral jsonb_each(c.fields) as f
cross join lateral jsonb_array_elements(
    case when jsonb_typeof(f.value) = 'array' then f.value else jsonb_build_array(f.value) end
) with ordinality as v (value, item)
