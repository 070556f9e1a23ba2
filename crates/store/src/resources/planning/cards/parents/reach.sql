-- If cards of project $1 are or were related to cards of others, or above or below them; and the owners of projects $2.
select
    exists (select from related_projects r where r.project_id = $1) as is_related,
    array(select distinct p.owner_id from projects p where p.id = any($2)) as owner_ids
