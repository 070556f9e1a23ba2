with a as (
    select p.rank
    from team_cards p
    join cards c on c.id = p.card_id
    where p.status_id = $1 and p.card_id = $3 and c.project_id = any($5)
),
b as (
    select p.rank
    from team_cards p
    join cards c on c.id = p.card_id
    where p.status_id = $1 and p.card_id = $4 and c.project_id = any($5)
)
select
    (select rank from a) as after,
    (select rank from b) as before,
    (
        select p.rank
        from team_cards p
        where p.status_id = $1 and p.card_id <> $2 and p.rank > (select rank from a)
        order by p.rank
        limit 1
    ) as following,
    (
        select p.rank
        from team_cards p
        where p.status_id = $1 and p.card_id <> $2 and ($4::uuid is null or p.rank < (select rank from b))
        order by p.rank desc
        limit 1
    ) as preceding,
    exists (
        select
        from team_cards p
        join cards c on c.id = p.card_id
        where p.status_id = $1 and p.card_id <> $2 and c.project_id = any($5)
          and p.rank > (select rank from a) and p.rank < (select rank from b)
    ) as is_parted
