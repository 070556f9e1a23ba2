//! Revoke an invitation.

use api::people::organizations::invitations::{RevokeInvitation, RevokeInvitationResponse};
use auth::actor::BrowserProjectManage;
use domain::Result;
use store::people::invitations;
use wire::{Reply, Request};

use crate::app::App;

/// Revokes an open invitation. Its secret is refused from the next request on.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, RevokeInvitation>,
) -> Result<Reply<RevokeInvitationResponse>> {
    let (call, id) = (&request.call, request.path.invitation_id);
    let revoke = async |tx: &mut _, organization: &_| invitations::revoke(tx, organization, call, id).await;
    app.store.mutate(call, &request.path.org_id, revoke).await?;
    Ok(Reply::ok(RevokeInvitationResponse { deleted: true, invitation_id: id }))
}
