with card as (
    insert into cards (
        id, project_id, name, description, resolution, effort, deadline, is_open,
        created_by, created_at, updated_at, history_head_id, history_head_sequence
    )
    values ($1, $2, $3, $4, $5, $6, $7, true, $8, $9, $9, $10, $11)
    returning created_by
),
assignments as (
    insert into card_assignees (card_id, user_id, assigned_at)
    select $1, user_id, $9 from unnest($12) as user_id
),
tags as (
    insert into card_tag_links (card_id, tag_id)
    select $1, tag_id from unnest($13) as tag_id
),
index_card as (
    insert into index_cards (card_id, tag_ids, user_ids, search_document)
    values ($1, $13, $12, $14)
)
select u.display_name as author_display_name from card join users u on u.id = card.created_by
