//! Read one member of an organization.

use api::people::organizations::members::{GetMember, OrganizationMemberResponse};
use auth::actor::TeamRead;
use domain::Result;
use store::people::members;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Reads a member. Guests see themselves alone.
pub async fn handle(
    app: App,
    request: Request<TeamRead, GetMember>,
) -> Result<TaggedReply<OrganizationMemberResponse>> {
    let (at, user) = (request.path.org_id, request.path.member_id);
    let get = async |tx: &mut _, found: &_| members::get(tx, found, user).await;
    let member = app.store.read(&request.call, &at, get).await?;
    Ok(Reply::ok(OrganizationMemberResponse { member }).etag_of_body())
}
