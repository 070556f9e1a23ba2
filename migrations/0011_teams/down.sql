drop table sprint_cards;
drop table team_cards;
drop table sprints;
drop table team_statuses;
drop table team_projects;
drop table team_members;
drop table teams;
