drop trigger working_changes_texts_changed on working_changes;
drop trigger working_changes_texts_added on working_changes;
drop function note_text_changes();
drop table text_changes;
drop table text_objects;
drop table texts;
