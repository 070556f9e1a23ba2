//! Remove a member, or leave the organization.

use api::people::organizations::members::{
    OrganizationMemberResponse, RemoveMember, RemovedOrganizationMemberResponse,
};
use auth::actor::BrowserOnly;
use domain::Result;
use domain::people::member::OrganizationMember;
use store::people::members;
use wire::{Reply, Request};

use crate::app::App;

/// Ends a membership. The member's access to the organization's projects and teams ends with it.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, RemoveMember>,
) -> Result<Reply<RemovedOrganizationMemberResponse>> {
    let (call, at, user_id) = (&request.call, request.path.org_id, request.path.member_id);
    let expected = request.head.if_match()?;
    let keys_revoked = request.query.revoke_keys.unwrap_or_default();
    let removal = app
        .store
        .mutate(call, &at, async |tx, organization| {
            let condition = |current: &OrganizationMember| {
                let member = current.clone();
                wire::check_if_match(expected.as_ref(), &OrganizationMemberResponse { member })
            };
            members::remove(tx, organization, call, user_id, keys_revoked, condition).await
        })
        .await?;
    app.release_sessions(removal.closed).await;
    let service_keys = removal.made_keys;
    Ok(Reply::ok(RemovedOrganizationMemberResponse { removed: true, user_id, service_keys, keys_revoked }))
}
