-- A step of its own: the locks of the step before would stop requests for as long as the table is read here.
alter table custom_fields validate constraint custom_fields_applies_to;
