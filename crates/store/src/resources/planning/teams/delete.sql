-- Deletes team $1, and keeps those who could see it: they see its board in the history of its cards.
with kept as (
    insert into deleted_teams (id, organization_id, visibility, deleted_at)
    select t.id, t.organization_id, t.visibility, $2 from teams t where t.id = $1
),
kept_members as (
    insert into deleted_team_members (team_id, user_id, role)
    select m.team_id, m.user_id, m.role from team_members m where m.team_id = $1
)
delete from teams where id = $1
