with found as materialized (
    select i.card_id, i.project_id
    from index_cards i
    where string_to_array(i.search_document, null) @> string_to_array($6, null)
      and strpos(i.search_document, $6) > 0
      and ($2::boolean is null or i.is_open = $2)
),
