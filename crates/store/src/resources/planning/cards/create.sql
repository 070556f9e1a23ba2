-- Creates cards $10 with their history rows. One that has a number already keeps it; the others get the next ones. The
-- history is written as by append_history.sql, with its parameters: first the project, second the author, fifth the
-- time.
with history as (
    insert into card_history (
        card_id, id, project_id, kind, actor_user_id, actor_key_id, actor_session_id, changes, occurred_at
    )
    select e.card_id, e.id, $1, e.kind, $2, $3, $4, e.changes, $5
    from unnest($6::uuid[], $7::uuid[], $8::text[], $9::jsonb[]) with ordinality as e (card_id, id, kind, changes, position)
    order by e.position
    returning card_id, id, sequence
),
new_cards as (
    select * from jsonb_to_recordset($10::jsonb) as card (
        id uuid, number bigint, fields jsonb, tag_ids uuid[], user_ids uuid[], checklist jsonb, search_document text
    )
),
asked as (
    select coalesce(max(number), 0) as highest, count(*) filter (where number is null) as unnumbered from new_cards
),
counter as (
    insert into card_counters as k (project_id, last_number)
    select
        $1,
        -- The cards of a project without a counter are older than numbers, and get the first ones.
        greatest(
            a.highest,
            case
                when exists (select from card_counters where project_id = $1) then 0
                else (select count(*) from cards where project_id = $1)
            end
        ) + a.unnumbered
    from asked a
    on conflict (project_id) do update
    set last_number = greatest(k.last_number, (select highest from asked)) + (select unnumbered from asked)
    returning last_number
),
numbers as (
    select
        c.id,
        coalesce(
            c.number,
            k.last_number - a.unnumbered + count(*) filter (where c.number is null) over (order by c.id)
        ) as number
    from new_cards c
    cross join counter k
    cross join asked a
),
heads as (
    select distinct on (card_id) card_id, id, sequence from history order by card_id, sequence desc
),
inserted_cards as (
    insert into cards (
        id, project_id, number, name, description, resolution, effort, priority, type, parent_id, fields, start_date,
        deadline, is_open, created_by, created_at, updated_at, history_head_id, history_head_sequence
    )
    select
        c.id, $1, n.number, card.name, card.description, card.resolution, card.effort, card.priority, card.type,
        card.parent_id, card.fields, card.start_date, card.deadline, true, $2, $5, $5, h.id, h.sequence
    from new_cards c
    join numbers n on n.id = c.id
    join heads h on h.card_id = c.id
    cross join jsonb_populate_record(null::cards, c.fields) as card
),
inserted_index_cards as (
    insert into index_cards (card_id, project_id, is_open, tag_ids, user_ids, checklist_total, search_document)
    select id, $1, true, tag_ids, user_ids, jsonb_array_length(checklist), search_document from new_cards
),
inserted_lines as (
    insert into card_checklist_items (id, card_id, position, text, is_done, created_at)
    select line.id, c.id, line.position, line.text, false, $5
    from new_cards c
    cross join lateral jsonb_to_recordset(c.checklist) as line (id uuid, position text, text text)
),
inserted_assignees as (
    insert into card_assignees (card_id, user_id, assigned_at)
    select c.id, user_id, $5 from new_cards c, unnest(c.user_ids) as user_id
),
inserted_tags as (
    insert into card_tag_links (card_id, tag_id)
    select c.id, tag_id from new_cards c, unnest(c.tag_ids) as tag_id
)
select
    h.card_id, h.id, h.sequence, n.number,
    (select u.display_name from users u where u.id = $2) as author_display_name,
    array(
        select t.id from card_tags t
        where t.id = any(c.tag_ids) and t.project_id = $1 and t.status = 'active'
    ) as active_tags,
    exists (select from project_members m where m.project_id = $1 and m.user_id = any(c.user_ids)) as is_member,
    (
        select m.role from organization_members m where m.organization_id = $11 and m.user_id = any(c.user_ids)
    ) as organization_role
from new_cards c
join heads h on h.card_id = c.id
join numbers n on n.id = c.id
