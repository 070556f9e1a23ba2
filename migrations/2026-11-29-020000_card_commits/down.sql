drop table card_commits;
