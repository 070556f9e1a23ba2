-- Whether one of these fields of a card has moved since an expected head; of a field that holds many elements, whether
-- one of these elements has. `since` is null where the card never had that head.
with expected as (
    select sequence from card_history where card_id = $1 and id = $2
)
select
    (select sequence from expected) as since,
    exists (
        select
        from card_history h
        join unnest($3::text[], $4::text[]) as mine (field, element) on jsonb_exists(h.changes, mine.field)
        where h.card_id = $1 and h.sequence > (select sequence from expected)
          and (
              mine.element is null
              or mine.element in (
                  coalesce(
                      h.changes #>> array[mine.field, 'before', 'id'],
                      h.changes #>> array[mine.field, 'before', 'team_id'],
                      h.changes #>> array[mine.field, 'before']
                  ),
                  coalesce(
                      h.changes #>> array[mine.field, 'after', 'id'],
                      h.changes #>> array[mine.field, 'after', 'team_id'],
                      h.changes #>> array[mine.field, 'after']
                  )
              )
          )
    ) as has_moved
