-- Exactly the failed runs have a failure, as in executions. New rows only: the next step validates the rows that exist.
alter table session_runs
    add constraint session_runs_failed check ((failure is not null) = (status = 'failed')) not valid;
comment on constraint session_runs_failed on session_runs is 'Exactly the failed ones have a failure.';
