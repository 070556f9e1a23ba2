drop table commits;
