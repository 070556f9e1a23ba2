comment on index cards_due is null;
drop table calendar_feeds;
