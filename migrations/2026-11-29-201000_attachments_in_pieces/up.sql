-- Uploads in pieces that are attached to cards. They belong to no session, and to no object of a tree.

-- Services without this step ask for uploads of a session, so they meet none without one.
-- squawk-ignore ban-drop-not-null
alter table resumable_uploads alter column session_id drop not null;
-- squawk-ignore ban-drop-not-null
alter table resumable_uploads alter column connection_id drop not null;
-- squawk-ignore ban-drop-not-null
alter table resumable_uploads alter column parent_id drop not null;
comment on column resumable_uploads.session_id is 'Null of an upload to a card, as connection and parent.';

alter table resumable_uploads add column card_id uuid;
alter table resumable_uploads add constraint resumable_uploads_card_id_fkey
    foreign key (card_id) references cards (id) on delete cascade not valid;
comment on column resumable_uploads.card_id is 'The card to which it is attached; null of an upload to a tree.';

alter table resumable_uploads add column attachment jsonb;
comment on column resumable_uploads.attachment is 'The attachment that it became, with the head of its card.';

alter table resumable_uploads add constraint resumable_uploads_destination check (
    num_nonnulls(session_id, connection_id, parent_id) = case when card_id is null then 3 else 0 end
    and (attachment is null or card_id is not null)
) not valid;
comment on constraint resumable_uploads_destination on resumable_uploads is 'A tree or a card.';

comment on table resumable_uploads is
    'An upload in pieces (tus). Rows: one for each upload in progress; deleted when it expires, its session closes or its '
    'card is deleted.';
comment on column resumable_uploads.user_id is
    'Its owner. Any grant of this user may continue it: in the session, or for the card.';
