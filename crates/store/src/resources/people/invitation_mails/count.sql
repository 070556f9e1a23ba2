select
    count(*) filter (where invited_by = $1) as of_inviter,
    count(*) filter (where organization_id = $2) as of_organization,
    count(*) filter (where recipient = $3) as to_recipient,
    count(*) as of_deployment
from sent_invitation_mails
where created_at > $4
