-- Changes of access: what is held open is checked when its reader may have lost the right to it.

create table access_changes (
    id bigint generated always as identity primary key,
    subject_id uuid not null,
    changed_at timestamptz not null default clock_timestamp()
);
comment on table access_changes is
    'A change by which readers may have lost access. Grows: one for each, until it is an hour old.';
comment on column access_changes.subject_id is 'The user whose access changed, or the project or team that did.';

create index access_changes_changed_at on access_changes (changed_at);
comment on index access_changes_changed_at is 'The changes of the last minute.';

create function note_access_change() returns trigger language plpgsql as $$
begin
    insert into access_changes (subject_id) values ((to_jsonb(old) ->> tg_argv[0])::uuid);
    return null;
end $$;
comment on function note_access_change() is 'Notes a change of the access of a user, or to a project or team.';

create trigger organization_members_ended after delete or update of role on organization_members
    for each row execute function note_access_change('user_id');
comment on trigger organization_members_ended on organization_members is 'The member may have lost access.';

create trigger project_members_ended after delete or update of role on project_members
    for each row execute function note_access_change('user_id');
comment on trigger project_members_ended on project_members is 'The member may have lost access.';

create trigger team_members_ended after delete or update of role on team_members
    for each row execute function note_access_change('user_id');
comment on trigger team_members_ended on team_members is 'The member may have lost access.';

create trigger projects_closed after delete or update of visibility, owner_id on projects
    for each row execute function note_access_change('id');
comment on trigger projects_closed on projects is 'Readers of the project may have lost access.';

create trigger teams_closed after delete or update of visibility on teams
    for each row execute function note_access_change('id');
comment on trigger teams_closed on teams is 'Readers of the team may have lost access.';

create trigger users_ended after update of disabled_at, signed_out_at on users
    for each row execute function note_access_change('id');
comment on trigger users_ended on users is 'The user''s credentials may have ended.';
