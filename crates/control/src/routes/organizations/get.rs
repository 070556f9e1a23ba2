//! Read one organization of the caller.

use auth::actor::Authenticated;
use domain::Result;
use domain::id::OrganizationId;
use domain::organization::OrganizationRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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

/// One organization.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GetOrganizationResponse")]
pub struct Answer {
    organization: OrganizationRecord,
}

/// Reads one organization of which the caller is a member.
pub async fn handle(
    app: App,
    request: Request<Authenticated, OrganizationPath>,
) -> Result<TaggedReply<Answer>> {
    let at = request.path.org_id;
    let organization =
        app.store.read(&request.call, &at, async |tx, found| organizations::get(tx, found).await).await?;
    Ok(Reply::ok(Answer { organization }).etag_of_body())
}
