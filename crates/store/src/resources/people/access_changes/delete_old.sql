delete from access_changes
where changed_at < clock_timestamp() - interval '1 hour'
