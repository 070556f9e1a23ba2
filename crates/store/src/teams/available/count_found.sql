select count(*) as total from found
