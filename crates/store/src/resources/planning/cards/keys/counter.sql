-- The counter of project $1, which begins after the cards that have no number yet.
insert into card_counters (project_id, last_number)
select $1, count(*) from cards c where c.project_id = $1
on conflict (project_id) do nothing
