-- The branch of the oldest change that no other process indexes.
select b.id, b.project_id
from (select branch_id from text_changes order by id limit 1 for update skip locked) oldest
join branches b on b.id = oldest.branch_id
