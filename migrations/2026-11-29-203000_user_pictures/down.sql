drop table user_pictures;
