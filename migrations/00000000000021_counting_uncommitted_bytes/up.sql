-- Counts as before, by statements that find one row each: joining what was added with the branches took as long as all the rest
-- of what an upload writes. Each statement changes one branch, but for those of operators.
create or replace function count_uncommitted_bytes() returns trigger language plpgsql as $$
declare
    change record;
    held bigint;
    most bigint := 0;
begin
    if tg_op = 'INSERT' then
        for change in select branch_id, sum(bytes)::bigint as bytes from added group by branch_id loop
            update branches set uncommitted_bytes = uncommitted_bytes + change.bytes
            where id = change.branch_id and change.bytes <> 0
            returning uncommitted_bytes into held;
            most := greatest(most, held);
        end loop;
    elsif tg_op = 'UPDATE' then
        for change in
            select branch_id, sum(bytes)::bigint as bytes
            from (select branch_id, bytes from added union all select branch_id, -bytes from removed) both_states
            group by branch_id
        loop
            update branches set uncommitted_bytes = uncommitted_bytes + change.bytes
            where id = change.branch_id and change.bytes <> 0
            returning case when change.bytes > 0 then uncommitted_bytes end into held;
            most := greatest(most, held);
        end loop;
    else
        for change in select branch_id, sum(bytes)::bigint as bytes from removed group by branch_id loop
            update branches set uncommitted_bytes = uncommitted_bytes - change.bytes
            where id = change.branch_id and change.bytes <> 0;
        end loop;
    end if;
    -- 256 MiB. What is larger already may shrink, and be committed.
    if most > 268435456 then
        raise exception 'a branch would hold too much that is uncommitted'
            using errcode = 'check_violation', constraint = 'branches_uncommitted_bytes';
    end if;
    return null;
end
$$;
