//! Change a member's role.

use api::people::organizations::members::{OrganizationMemberResponse, UpdateMember};
use auth::actor::BrowserProjectManage;
use domain::Result;
use domain::people::member::OrganizationMember;
use store::people::members;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Gives a member another role.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, UpdateMember>,
) -> Result<TaggedReply<OrganizationMemberResponse>> {
    let (call, at, user) = (&request.call, request.path.org_id, request.path.member_id);
    let (role, expected) = (request.body.0.role, request.head.if_match()?);
    let member = app
        .store
        .mutate(call, &at, async |tx, organization| {
            let condition = |current: &OrganizationMember| {
                let member = current.clone();
                wire::check_if_match(expected.as_ref(), &OrganizationMemberResponse { member })
            };
            members::set_role(tx, organization, call, user, role, condition).await
        })
        .await?;
    Ok(Reply::ok(OrganizationMemberResponse { member }).etag_of_body())
}
