delete from invitations i
using users u
where u.id = $2 and i.organization_id = $1 and lower(i.email) = lower(u.email) and i.accepted_by is null
