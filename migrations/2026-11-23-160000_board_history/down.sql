drop table departed_card_history;
drop table deleted_team_members;
drop table deleted_teams;
comment on column cards.updated_at is null;
comment on column cards.history_head_id is
    'The card''s last row in card_history. The card''s ETag, and the precondition of each change.';
alter table index_cards drop column board_heads;
drop function history_board(jsonb);
