-- The blobs of $2 with at least $3 bytes. Their size is known without reading them.
select asked.oid
from unnest($2::bytea[]) as asked (oid)
cross join lateral (
    select from git_objects
    where project_id = $1 and git_objects.oid = asked.oid and kind = 'blob' and octet_length(data) >= $3
    limit 1
) o
