//! Read one organization of the caller.

use api::people::organizations::{GetOrganization, OrganizationResponse};
use auth::actor::Authenticated;
use domain::Result;
use store::people::organizations;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Reads one organization of which the caller is a member.
pub async fn handle(
    app: App,
    request: Request<Authenticated, GetOrganization>,
) -> Result<TaggedReply<OrganizationResponse>> {
    let at = request.path.org_id;
    let organization =
        app.store.read(&request.call, &at, async |tx, found| organizations::get(tx, found).await).await?;
    Ok(Reply::ok(OrganizationResponse { organization }).etag_of_body())
}
