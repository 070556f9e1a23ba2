select
    (select count(*) from index_cards i where i.project_id = any($1) and i.is_open)
    -- Cards on the board are subtracted: so an index-only scan counts the others.
    - (
        select count(*)
        from team_cards t
        join index_cards i on i.card_id = t.card_id
        where t.team_id = $2 and i.project_id = any($1) and i.is_open
    ) as total
