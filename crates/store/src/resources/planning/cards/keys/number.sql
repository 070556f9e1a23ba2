-- Numbers the cards of project $1 that have no number, in the order of their creation. Those that are older than the counter
-- get the numbers before its first; the others, of an older service beside this one, those after its last.
with counter as (
    select k.last_number, coalesce(min(c.number) - 1, k.last_number) as room
    from card_counters k
    left join cards c on c.project_id = k.project_id and c.number is not null
    where k.project_id = $1
    group by k.project_id
),
unnumbered as (
    select c.id, row_number() over (order by c.id) as position
    from cards c
    where c.project_id = $1 and c.number is null
),
advanced as (
    update card_counters k
    set last_number = k.last_number + greatest(0, (select count(*) from unnumbered) - (select room from counter))
    where k.project_id = $1
)
update cards c
set number = case when u.position <= k.room then u.position else k.last_number + u.position - k.room end
from unnumbered u
cross join counter k
where c.id = u.id
