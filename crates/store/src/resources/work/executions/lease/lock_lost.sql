select id from executions where id = $1 and ended_at is null and lease_until < now() for update skip locked
