//! Read one member of an organization.

use api::organizations::OrganizationMemberResponse;
use auth::actor::TeamRead;
use domain::Result;
use store::members;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::organizations::members::MemberPath;

/// Reads a member. Guests see themselves alone.
pub async fn handle(
    app: App,
    request: Request<TeamRead, MemberPath>,
) -> Result<TaggedReply<OrganizationMemberResponse>> {
    let (at, user) = (request.path.org_id, request.path.member_id);
    let get = async |tx: &mut _, found: &_| members::get(tx, found, user).await;
    let member = app.store.read(&request.call, &at, get).await?;
    Ok(Reply::ok(OrganizationMemberResponse { member }).etag_of_body())
}
