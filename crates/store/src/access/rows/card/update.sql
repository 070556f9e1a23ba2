-- Writes the fields of card $1 that $2 names, its state and head, and its index row.
with card as (
    update cards
    set
        name = coalesce($2::jsonb ->> 'name', name),
        description = coalesce($2 ->> 'description', description),
        resolution = coalesce($2 ->> 'resolution', resolution),
        effort = coalesce(($2 ->> 'effort')::integer, effort),
        priority = coalesce($2 ->> 'priority', priority),
        type = coalesce($2 ->> 'type', type),
        parent_id = case when $2 ? 'parent_id' then ($2 ->> 'parent_id')::uuid else parent_id end,
        fields = coalesce($2 -> 'fields', fields),
        start_date = case when $2 ? 'start_date' then ($2 ->> 'start_date')::date else start_date end,
        deadline = case when $2 ? 'deadline' then ($2 ->> 'deadline')::timestamptz else deadline end,
        is_open = $3, closed_at = $4, updated_at = $5, history_head_id = $6, history_head_sequence = $7
    where id = $1
    returning id
)
update index_cards
set
    is_open = $3, tag_ids = $8, user_ids = $9, search_document = coalesce($10, search_document),
    checklist_total = $11, checklist_done = $12
where card_id = (select id from card)
