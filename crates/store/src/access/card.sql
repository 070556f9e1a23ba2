-- `is true`: no index is used for it. PostgreSQL may go through all cards of the project else.
where c.id = any($1) and (c.project_id = $2) is true
