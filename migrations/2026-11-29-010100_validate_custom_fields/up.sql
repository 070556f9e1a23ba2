-- A step of its own: the locks of the step before would stop all requests for as long as the table is read here.
alter table cards validate constraint cards_fields;
