-- A project's commits in the order in which they were written, newest first: where two lines went apart is found by it.
create index commits_in_order on commits (project_id, number);
