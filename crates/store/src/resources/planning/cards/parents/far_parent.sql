-- The parent of card $1 in another project.
select a.id, a.project_id from far_parents f join cards a on a.id = f.parent_id where f.card_id = $1
