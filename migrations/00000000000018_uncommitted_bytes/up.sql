-- What a branch's working changes hold, so that it can be bounded: a commit takes all of them at once.

alter table working_changes
    -- As JSON; a deletion holds nothing.
    add column bytes bigint not null generated always as (coalesce(octet_length(record::text), 0)) stored;
alter table branches
    -- Of all its working changes together.
    add column uncommitted_bytes bigint not null default 0;

update branches b
set uncommitted_bytes = w.bytes
from (select branch_id, sum(bytes) as bytes from working_changes group by branch_id) w
where w.branch_id = b.id;

-- Whoever changes working changes holds the branch's row, so that nobody waits here. A branch that goes takes them along
-- when it isn't there any more.
create function count_uncommitted_bytes() returns trigger language plpgsql as $$
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
create trigger working_changes_added after insert on working_changes
    referencing new table as added
    for each statement execute function count_uncommitted_bytes();
create trigger working_changes_changed after update on working_changes
    referencing old table as removed new table as added
    for each statement execute function count_uncommitted_bytes();
create trigger working_changes_removed after delete on working_changes
    referencing old table as removed
    for each statement execute function count_uncommitted_bytes();
