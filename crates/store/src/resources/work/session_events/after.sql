-- A page of the events of session $1 after number $2, in their order: $3 at most, until they have $4 bytes. One row more is
-- read to tell if the page ends with the session's last event.
select page.sequence, page.type as kind, page.data, page.occurred_at, page.is_last
from (
    select next.*,
        lead(next.sequence) over w is null as is_last,
        row_number() over w as number,
        sum(octet_length(next.data::text)) over w - octet_length(next.data::text) as bytes_before
    from (
        select e.sequence, e.type, e.data, e.occurred_at
        from session_events e
        where e.session_id = $1 and e.sequence > $2
        order by e.sequence
        limit $3 + 1
    ) next
    window w as (order by next.sequence)
) page
where page.number <= $3 and page.bytes_before < $4
order by page.sequence
