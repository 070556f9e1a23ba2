//! Look up an invitation by its secret.

use api::people::invitations::{LookUpInvitation, LookUpInvitationResponse};
use auth::actor::BrowserOnly;
use auth::invitation::InvitationSecret;
use domain::Result;
use store::Me;
use store::people::invitations::look_up;
use wire::{Reply, Request};

use crate::app::App;

/// Answers organization, inviter and role to the bearer of a secret, who decides by them.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, LookUpInvitation>,
) -> Result<Reply<LookUpInvitationResponse>> {
    let call = &request.call;
    let secret = InvitationSecret::parse("secret", request.body.0.secret.reveal())?;
    let read = async |tx: &mut _, me: &_| look_up::by_secret(tx, me, secret.clone(), call.now).await;
    let invitation = app.store.read(call, &Me, read).await?;
    Ok(Reply::ok(LookUpInvitationResponse { invitation }))
}
