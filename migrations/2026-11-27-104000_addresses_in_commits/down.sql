alter table users drop column shows_email_in_commits;
