-- Keeps the user from every open invitation by secret, whose bearers nobody knows.
insert into invitation_exclusions (invitation_id, user_id)
select i.id, $2
from invitations i
where i.organization_id = $1 and i.email is null and i.accepted_by is null and i.expires_at > $3
on conflict do nothing
