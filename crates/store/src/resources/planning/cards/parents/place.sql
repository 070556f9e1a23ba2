-- The level of card $1, of which the first is 1; if card $2 is it or above it; and the number of levels from card $2 downwards.
-- Level 9 is one too many, and ends the search.
with recursive above as (
    select c.id, c.parent_id, 1 as level from cards c where c.id = $1
    union all
    select c.id, c.parent_id, a.level + 1
    from above a
    join cards c on c.id = a.parent_id
    where a.level < 9
),
below as (
    select c.id, 1 as level from cards c where c.id = $2
    union all
    select c.id, b.level + 1
    from below b
    join cards c on c.parent_id = b.id
    where b.level < 9
)
select
    (select max(a.level) from above a) as level,
    exists (select from above a where a.id = $2) as is_below,
    coalesce((select max(b.level) from below b), 1) as height
