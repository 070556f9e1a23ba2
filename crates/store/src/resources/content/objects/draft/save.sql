-- `head` is the head's state of an object without a working change; otherwise the row's own `committed` counts. An object
-- that equals its state in the head gets no row.
with new as (
    select *
    from unnest($2::uuid[], $3::jsonb[], $4::jsonb[]) as new (object_id, record, head)
),
state as (
    select new.object_id, new.record, coalesce(w.committed, new.head) as committed
    from new
    left join working_changes w on w.branch_id = $1 and w.object_id = new.object_id
),
undone as (
    delete from working_changes w
    using state s
    where w.branch_id = $1 and w.object_id = s.object_id and s.record is not distinct from s.committed
)
insert into working_changes (branch_id, object_id, record, committed, changed_by, changed_at)
select $1, object_id, record, committed, $5, $6
from state
where record is distinct from committed
on conflict (branch_id, object_id) do update
set record = excluded.record, changed_by = excluded.changed_by, changed_at = excluded.changed_at
