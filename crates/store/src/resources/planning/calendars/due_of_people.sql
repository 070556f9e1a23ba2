-- The open cards of projects $1 with a deadline from $2 on: the first $4 from $3 on, and the last $5 before. They are
-- on the board of team $6, if it is given, and assigned to user $7, if that is given; one of them is.
with listed as (
    select l.card_id
    from team_cards l
    where l.team_id = $6::uuid
      and (
          $7::uuid is null
          or exists (select from card_assignees a where a.card_id = l.card_id and a.user_id = $7::uuid)
      )
    union all
    select a.card_id
    from card_assignees a
    where $6::uuid is null and a.user_id = $7::uuid
),
due as materialized (
    select c.id, c.number, c.name, c.deadline, c.updated_at, c.project_id
    from listed l
    join cards c on c.id = l.card_id
    where c.is_open and c.deadline >= $2::timestamptz and c.project_id in (select unnest($1::uuid[]))
),
chosen as (
    (select d.* from due d where d.deadline >= $3::timestamptz order by d.deadline, d.id limit $4)
    union all
    (select d.* from due d where d.deadline < $3::timestamptz order by d.deadline desc, d.id desc limit $5)
)
select n.id, n.number, n.name, n.deadline, n.updated_at, n.project_id, p.key as project_key, p.name as project_name
from chosen n
join projects p on p.id = n.project_id
order by n.deadline, n.id
