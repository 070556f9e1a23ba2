alter table index_cards drop column letters;
drop function card_letters;
