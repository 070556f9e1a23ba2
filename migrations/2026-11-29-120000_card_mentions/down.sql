drop table card_mentions;
