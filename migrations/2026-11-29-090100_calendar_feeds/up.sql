-- Calendar feeds: addresses at which calendar programs fetch deadlines and sprints.

create table calendar_feeds (
    id uuid primary key,
    user_id uuid not null references users (id) on delete cascade,
    name text not null check (name <> '' and length(name) <= 255),
    secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
    project_id uuid references projects (id) on delete cascade,
    team_id uuid references teams (id) on delete cascade,
    is_mine boolean not null,
    created_at timestamptz not null,
    last_fetched_at timestamptz,
    constraint calendar_feeds_scope check (project_id is null or team_id is null)
);
comment on table calendar_feeds is
    'An address at which a calendar program reads what a user may read. Rows: at most 20 for each user.';
comment on column calendar_feeds.secret_hash is 'SHA-256 of the secret. Its entropy makes a slow hash needless.';
comment on column calendar_feeds.project_id is 'The only project whose cards it has; null: all.';
comment on column calendar_feeds.team_id is 'The only team whose sprints and cards it has; null: all.';
comment on column calendar_feeds.is_mine is 'It has the user''s own cards, and sprints of the user''s teams alone.';
comment on column calendar_feeds.last_fetched_at is 'The last time at which a program fetched it, to the minute.';
comment on constraint calendar_feeds_scope on calendar_feeds is 'A feed is of a project or of a team.';

create index calendar_feeds_user on calendar_feeds (user_id, id);
comment on index calendar_feeds_user is 'A user''s feeds; the foreign key.';
create index calendar_feeds_project on calendar_feeds (project_id);
comment on index calendar_feeds_project is 'The foreign key.';
create index calendar_feeds_team on calendar_feeds (team_id);
comment on index calendar_feeds_team is 'The foreign key.';

comment on index cards_due is 'A project''s open cards by deadline, for calendars.';
