//! Accept an invitation.

use api::people::invitations::{AcceptInvitation, AcceptInvitationRequest};
use api::people::organizations::OrganizationResponse;
use auth::actor::BrowserOnly;
use auth::invitation::InvitationSecret;
use domain::{Error, Result, Rule};
use store::Me;
use store::people::invitations::{self, AcceptedInvitation};
use wire::{Reply, Request};

use crate::app::App;

/// Makes the caller a member. An invitation counts once.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, AcceptInvitation>,
) -> Result<Reply<OrganizationResponse>> {
    let call = &request.call;
    let accepted = validate(request.body.0)?;
    let accept = async |tx: &mut _, me: &_| invitations::accept(tx, me, call, &accepted).await;
    let organization = app.store.mutate(call, &Me, accept).await?;
    Ok(Reply::ok(OrganizationResponse { organization }))
}

fn validate(body: AcceptInvitationRequest) -> Result<AcceptedInvitation> {
    match (body.secret, body.invitation_id) {
        (Some(secret), None) => {
            InvitationSecret::parse("secret", secret.reveal()).map(AcceptedInvitation::Secret)
        }
        (None, Some(id)) => Ok(AcceptedInvitation::Addressed(id)),
        (None, None) => {
            Err(Error::invalid("secret", Rule::Required, "is required unless `invitationId` is supplied"))
        }
        (Some(_), Some(_)) => {
            Err(Error::invalid("invitationId", Rule::conflict("secret"), "can't be combined with `secret`"))
        }
    }
}
