-- The open cards of projects $2 that are assigned to user $1: those with a deadline before $3 first, then the most urgent. Cards
-- of other projects block if these are among $4.
select
    c.id,
    coalesce(c.deadline < $3, false) as is_due,
    exists (
        select
        from card_relations r
        join cards b on b.id = r.card_id
        where r.other_card_id = c.id and r.kind = 'blocks' and b.is_open
          and (b.project_id = c.project_id or b.project_id = any($4::uuid[]))
    ) as is_blocked
from card_assignees a
join cards c on c.id = a.card_id
where a.user_id = $1 and c.is_open and c.project_id in (select unnest($2::uuid[]))
order by
    case when c.deadline < $3 then c.deadline end,
    array_position('{urgent,high,medium,low,none}'::text[], c.priority),
    c.updated_at desc,
    c.id
limit 201
