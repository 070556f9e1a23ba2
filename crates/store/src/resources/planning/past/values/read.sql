-- The values of cards $1 at time $2: of each field, and of each element of a collection, the last one; ended ones with
-- their last value. Only of fields $3, if that is given, and those of fields $4 as null. `is_own` tells rows that every
-- reader sees from those of boards and of cards of other projects.
select distinct on (h.card_id, c.field, e.element)
    h.card_id, h.project_id, c.field, v.is_present, o.is_own, h.id, h.sequence, h.occurred_at, h.actor_user_id,
    case when c.field = any($4::text[]) then 'null' else v.value end as value
from card_history h
cross join lateral (
    select t.key as field, t.value -> 'before' as before, coalesce(t.value -> 'after', 'null') as after
    from jsonb_each(h.changes) as t (key, value)
) c
cross join lateral (
    select
        jsonb_typeof(c.after) <> 'null' as is_present,
        case when jsonb_typeof(c.after) <> 'null' then c.after else c.before end as value
) v
cross join lateral (
    select case
        when c.field in ('user_id', 'tag_id', 'object_id') then v.value #>> '{}'
        when c.field in ('checklist_item', 'comment', 'attachment', 'parent') then v.value ->> 'id'
        when c.field = 'team_placement' then v.value ->> 'team_id'
        when c.field = 'relation' then concat_ws(' ', v.value ->> 'id', v.value ->> 'kind', v.value ->> 'direction')
    end as element
) e
cross join lateral (
    select c.field not in ('team_placement', 'parent') and not (c.field = 'relation' and v.value ? 'project_id') as is_own
) o
where h.card_id = any($1) and h.occurred_at <= $2 and ($3::text[] is null or c.field = any($3))
order by h.card_id, c.field, e.element, h.sequence desc
