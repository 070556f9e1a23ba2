drop table team_status_transitions;
