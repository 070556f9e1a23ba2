alter table session_runs drop constraint session_runs_failed;
