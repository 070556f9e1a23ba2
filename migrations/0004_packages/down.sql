drop table package_includes;
drop table package_versions;
drop table packages;
