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
)
select
    (select count(*) from project) = 1 as has_project,
    (select count(*) from session) = 1
        and ($4 is null or (select count(*) from execution) = 1)
        and ($3 is null or (select count(*) from key) = 1) as is_live
