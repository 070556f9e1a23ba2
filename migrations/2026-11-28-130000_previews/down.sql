drop table derived_files;
drop table previews;
