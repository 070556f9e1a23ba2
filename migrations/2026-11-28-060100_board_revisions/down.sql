drop function board_revision(uuid);
