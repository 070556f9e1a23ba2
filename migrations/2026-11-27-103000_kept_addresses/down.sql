drop table kept_addresses;
