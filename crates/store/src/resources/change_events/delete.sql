-- Of the $2 first rows, deletes those from before $1, and records how far that was.
with first as (
    select scope_id, sequence, occurred_at from change_events order by sequence limit $2
), gone as (
    delete from change_events e
    using first f
    where e.scope_id = f.scope_id and e.sequence = f.sequence and f.occurred_at < $1
    returning e.sequence
), noted as (
    update change_event_retention r set deleted_sequence = greatest(r.deleted_sequence, g.sequence)
    from (select max(sequence) as sequence from gone) g
    where g.sequence is not null
)
select count(*) as deleted from gone
