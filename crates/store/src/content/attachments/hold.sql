-- Each part asks for the one before it, so that the locks are taken in this order.
with project as materialized (
    select id from projects where id = $1 for key share
), session as materialized (
    select id
    from sessions
    where id = $2 and project_id = (select id from project) and closed_at is null
    for share
), execution as materialized (
    select id
    from executions
    where id = $4 and session_id = (select id from session) and state = 'running'
    for share
), key as materialized (
    select id
    from api_keys
    where id = $3 and revoked_at is null and (select count(*) from session) = 1
      and ($4 is null or (select count(*) from execution) = 1)
    for share
), grant_is as materialized (
    select
        (select count(*) from session) = 1
            and ($4 is null or (select count(*) from execution) = 1)
            and ($3 is null or (select count(*) from key) = 1) as live
), branch as (
    update branches set revision = revision + 1
    where name = $5 and project_id = (select id from project) and (select live is not null from grant_is)
    returning id, head, revision
)
select grant_is.live as is_live, branch.id, branch.head, branch.revision
from grant_is, branch
