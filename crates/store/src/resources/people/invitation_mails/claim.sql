-- Takes the invitation whose mail has been due the longest, and sets the time of its next attempt: a process that dies
-- leaves it to another one.
update invitations i
set mail_at = $1 + least(60, 2 ^ i.mail_attempts) * interval '1 minute', mail_attempts = i.mail_attempts + 1
from organizations o, users u
where i.id = (
        select id
        from invitations
        where mail_at <= $1 and accepted_by is null and expires_at > $1
        order by mail_at
        limit 1
        for update skip locked
    )
    and o.id = i.organization_id
    and u.id = i.invited_by
returning
    i.id,
    i.email as address,
    i.role,
    i.expires_at,
    i.mail_attempts,
    o.name as organization,
    u.display_name as inviter,
    u.email as inviter_address;
