//! Read one organization of the caller.

use api::organizations::OrganizationResponse;
use auth::actor::Authenticated;
use domain::Result;
use domain::id::OrganizationId;
use schemars::JsonSchema;
use serde::Deserialize;
use store::organizations;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// The path of an operation on one organization.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationPath {
    /// The organization.
    pub org_id: OrganizationId,
}

/// Reads one organization of which the caller is a member.
pub async fn handle(
    app: App,
    request: Request<Authenticated, OrganizationPath>,
) -> Result<TaggedReply<OrganizationResponse>> {
    let at = request.path.org_id;
    let organization =
        app.store.read(&request.call, &at, async |tx, found| organizations::get(tx, found).await).await?;
    Ok(Reply::ok(OrganizationResponse { organization }).etag_of_body())
}
