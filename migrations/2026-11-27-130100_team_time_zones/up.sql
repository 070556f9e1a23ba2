-- A team's time zone, by which the days of its sprints run.

alter table teams add column time_zone text not null default 'UTC' check (time_zone <> '' and length(time_zone) <= 64);
comment on column teams.time_zone is 'The IANA name of the zone of the team''s days.';
