//! Remove a member, or leave the organization.

use api::organizations::{OrganizationMemberResponse, RemovedMemberResponse};
use auth::actor::BrowserOnly;
use domain::Result;
use domain::member::OrganizationMember;
use store::members;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::organizations::members::MemberPath;

/// Ends a membership. The member's access to the organization's projects and teams ends with it.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, MemberPath>,
) -> Result<Reply<RemovedMemberResponse>> {
    let (call, at, user_id) = (&request.call, request.path.org_id, request.path.member_id);
    let expected = request.head.if_match()?;
    let closed = app
        .store
        .mutate(call, &at, async |tx, organization| {
            let condition = |current: &OrganizationMember| {
                let member = current.clone();
                wire::check_if_match(expected.as_ref(), &OrganizationMemberResponse { member })
            };
            members::remove(tx, organization, call, user_id, condition).await
        })
        .await?;
    app.release_sessions(closed).await;
    Ok(Reply::ok(RemovedMemberResponse { removed: true, user_id }))
}
