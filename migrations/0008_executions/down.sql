drop table evaluation_runs;
drop table executions;
