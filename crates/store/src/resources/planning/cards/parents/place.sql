-- The level of card $1, of which the first is 1; if card $2 is it or above it; and the number of levels from card $2 downwards,
-- over all projects. Level 9 is one too many, and ends the search.
with recursive above as (
    select $1::uuid as id, 1 as level
    union all
    select p.id, a.level + 1
    from above a
    cross join lateral (
        select coalesce(c.parent_id, f.parent_id) as id
        from cards c
        left join far_parents f on f.card_id = c.id
        where c.id = a.id
    ) p
    where a.level < 9 and p.id is not null
),
below as (
    select $2::uuid as id, 1 as level
    union all
    select p.id, b.level + 1
    from below b
    cross join lateral (
        select c.id from cards c where c.parent_id = b.id
        union all
        select f.card_id from far_parents f where f.parent_id = b.id
    ) p
    where b.level < 9
)
select
    (select max(a.level) from above a) as level,
    exists (select from above a where a.id = $2) as is_below,
    (select max(b.level) from below b) as height
