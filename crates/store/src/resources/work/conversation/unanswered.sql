-- The tool calls among the last $2 messages of session $1 that have no result, in their order. Only ids and tools are read:
-- other content of a message can't prevent the end of a run.
with parts as materialized (
    select m.sequence, p.position, p.part ->> 'type' as type, p.part ->> 'callId' as call_id, p.part ->> 'name' as name
    from (
        select sequence, parts from session_messages where session_id = $1 order by sequence desc limit $2
    ) m
    cross join lateral jsonb_array_elements(m.parts) with ordinality as p (part, position)
)
select c.call_id, c.name
from parts c
where c.type = 'tool_call'
    and not exists (select from parts r where r.type = 'tool_result' and r.call_id = c.call_id)
order by c.sequence, c.position
