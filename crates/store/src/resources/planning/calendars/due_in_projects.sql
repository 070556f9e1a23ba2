-- The open cards of projects $1 with a deadline from $2 on: the first $4 from $3 on, and the last $5 before. No more is
-- read of a project.
with due as materialized (
    select n.id, n.deadline
    from unnest($1::uuid[]) as p (id)
    cross join lateral (
        (
            select c.id, c.deadline
            from cards c
            where c.project_id = p.id and c.is_open and c.deadline >= $3::timestamptz
            order by c.deadline, c.id
            limit $4
        )
        union all
        (
            select c.id, c.deadline
            from cards c
            where c.project_id = p.id and c.is_open
              and c.deadline >= $2::timestamptz and c.deadline < $3::timestamptz
            order by c.deadline desc, c.id desc
            limit $5
        )
    ) n
),
chosen as (
    (select d.id from due d where d.deadline >= $3::timestamptz order by d.deadline, d.id limit $4)
    union all
    (select d.id from due d where d.deadline < $3::timestamptz order by d.deadline desc, d.id desc limit $5)
)
select c.id, c.number, c.name, c.deadline, c.updated_at, c.project_id, p.key as project_key, p.name as project_name
from chosen n
join cards c on c.id = n.id
join projects p on p.id = c.project_id
order by c.deadline, c.id
