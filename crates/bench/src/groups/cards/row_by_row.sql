insert into card_history (
    card_id, id, project_id, kind, actor_user_id, actor_key_id, actor_session_id, changes, occurred_at
)
values (
    ($6::uuid[])[1], ($7::uuid[])[1], $1::uuid, ($8::text[])[1], $2::uuid, $3::uuid, $4::uuid, ($9::jsonb[])[1], $5::timestamptz
)
returning sequence;

insert into card_history (
    card_id, id, project_id, kind, actor_user_id, actor_key_id, actor_session_id, changes, occurred_at
)
values (
    ($6::uuid[])[2], ($7::uuid[])[2], $1::uuid, ($8::text[])[2], $2::uuid, $3::uuid, $4::uuid, ($9::jsonb[])[2], $5::timestamptz
)
returning sequence;

insert into cards (
    id, project_id, name, description, resolution, effort, is_open,
    created_by, created_at, updated_at, history_head_id, history_head_sequence
)
values (
    $10::uuid, $1::uuid, $11, $12, $13, $14::integer, true,
    $2::uuid, $5::timestamptz, $5::timestamptz, ($7::uuid[])[2], currval('card_history_sequence')
);

insert into index_cards (card_id, project_id, is_open, user_ids, search_document)
values ($10::uuid, $1::uuid, true, array[$2::uuid], $15);

insert into card_assignees (card_id, user_id, assigned_at) values ($10::uuid, $2::uuid, $5::timestamptz);

select display_name from users where id = $2::uuid;

select exists (select from project_members where project_id = $1::uuid and user_id = $2::uuid);

select m.role from projects p join organization_members m on m.organization_id = p.owner_id
where p.id = $1::uuid and m.user_id = $2::uuid;
