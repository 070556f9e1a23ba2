-- Gives new cards $1 all their tags and assignees, some of which they have already. The time is $2.
with given as (
    select * from jsonb_to_recordset($1::jsonb) as card (id uuid, tag_ids uuid[], user_ids uuid[])
),
tagged as (
    insert into card_tag_links (card_id, tag_id)
    select g.id, tag_id from given g, unnest(g.tag_ids) as tag_id
    on conflict do nothing
),
assigned as (
    insert into card_assignees (card_id, user_id, assigned_at)
    select g.id, user_id, $2::timestamptz from given g, unnest(g.user_ids) as user_id
    on conflict do nothing
)
update index_cards i
set tag_ids = g.tag_ids, user_ids = g.user_ids
from given g
where i.card_id = g.id
