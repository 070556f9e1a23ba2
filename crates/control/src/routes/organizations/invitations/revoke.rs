//! Revoke an invitation.

use api::organizations::RevokeInvitationResponse;
use auth::actor::BrowserProjectManage;
use domain::Result;
use domain::id::{InvitationId, OrganizationId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::invitations;
use wire::{Reply, Request};

use crate::app::App;

/// The path of an operation on one invitation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationPath {
    /// The organization.
    org_id: OrganizationId,
    /// The invitation.
    invitation_id: InvitationId,
}

/// Revokes an open invitation. Its secret is refused from the next request on.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, InvitationPath>,
) -> Result<Reply<RevokeInvitationResponse>> {
    let (call, id) = (&request.call, request.path.invitation_id);
    let revoke = async |tx: &mut _, organization: &_| invitations::revoke(tx, organization, call, id).await;
    app.store.mutate(call, &request.path.org_id, revoke).await?;
    Ok(Reply::ok(RevokeInvitationResponse { deleted: true, invitation_id: id }))
}
