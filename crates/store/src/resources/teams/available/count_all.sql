select
    (select count(*) from index_cards i where i.project_id = any($1) and i.is_open)
    -- Taken off afterwards, so that an index without the table answers the rest.
    - (
        select count(*)
        from team_cards t
        join index_cards i on i.card_id = t.card_id
        where t.team_id = $2 and i.project_id = any($1) and i.is_open
    ) as total
