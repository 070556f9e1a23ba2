-- `has_moved` is true if one of fields $3 of card $1 has changed since the head $2; in a field with several elements, only the
-- element in $4 counts. `since` is null if the card never had that head.
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
