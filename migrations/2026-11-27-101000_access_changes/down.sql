drop trigger users_ended on users;
drop trigger teams_closed on teams;
drop trigger projects_closed on projects;
drop trigger team_members_ended on team_members;
drop trigger project_members_ended on project_members;
drop trigger organization_members_ended on organization_members;
drop function note_access_change();
drop table access_changes;
