comment on index cards_deadline is null;
comment on index cards_updated is null;
