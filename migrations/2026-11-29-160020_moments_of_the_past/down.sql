drop table deleted_cards;
drop table card_tag_versions;
drop table column_renumberings;
drop table board_layouts;
comment on index card_history_board_moves is null;
comment on index card_history_parents is null;
