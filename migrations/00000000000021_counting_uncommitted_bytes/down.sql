create or replace function count_uncommitted_bytes() returns trigger language plpgsql as $$
declare
    most bigint;
begin
    if tg_op = 'INSERT' then
        with change as (select branch_id, sum(bytes) as bytes from added group by branch_id),
        counted as (
            update branches b set uncommitted_bytes = b.uncommitted_bytes + c.bytes
            from change c
            where b.id = c.branch_id and c.bytes <> 0
            returning b.uncommitted_bytes
        )
        select max(uncommitted_bytes) from counted into most;
    elsif tg_op = 'UPDATE' then
        with change as (
            select branch_id, sum(bytes) as bytes
            from (select branch_id, bytes from added union all select branch_id, -bytes from removed) both_states
            group by branch_id
        ),
        counted as (
            update branches b set uncommitted_bytes = b.uncommitted_bytes + c.bytes
            from change c
            where b.id = c.branch_id and c.bytes <> 0
            returning case when c.bytes > 0 then b.uncommitted_bytes end as uncommitted_bytes
        )
        select max(uncommitted_bytes) from counted into most;
    else
        update branches b set uncommitted_bytes = b.uncommitted_bytes - c.bytes
        from (select branch_id, sum(bytes) as bytes from removed group by branch_id) c
        where b.id = c.branch_id and c.bytes <> 0;
    end if;
    -- 256 MiB. What is larger already may shrink, and be committed.
    if most > 268435456 then
        raise exception 'a branch would hold too much that is uncommitted'
            using errcode = 'check_violation', constraint = 'branches_uncommitted_bytes';
    end if;
    return null;
end
$$;
