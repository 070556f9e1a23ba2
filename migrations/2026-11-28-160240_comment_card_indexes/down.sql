comment on index cards_by_priority is null;
comment on index cards_parent is null;
comment on index cards_unnumbered is null;
comment on index cards_number is null;
