-- Puts the oldest change behind all others.
update text_changes
set id = default
where id = (select id from text_changes order by id limit 1 for update skip locked)
