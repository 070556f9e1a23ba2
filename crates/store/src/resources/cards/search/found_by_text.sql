with found as materialized (
    -- Planned for all matches, and read as far as they are asked for: with a limit of its own, PostgreSQL may scan all cards.
    select i.card_id, i.project_id
    from index_cards i
    where i.search_document like $7
      and ($2::boolean is null or i.is_open = $2)
),
