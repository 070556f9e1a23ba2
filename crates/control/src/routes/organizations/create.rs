//! Create an organization.

use auth::actor::BrowserOnly;
use domain::Result;
use domain::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Me, organizations};
use wire::{Json, NoPath, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::organizations::OrganizationAnswer;

/// An organization to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateOrganizationRequest")]
pub struct Body {
    /// Name. Its name in URLs is made of it, and stays.
    name: Name,
}

/// Creates an organization with the caller as its owner.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, NoPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<OrganizationAnswer>> {
    let (call, name) = (&request.call, request.body.0.name);
    let limit = app.limits.organizations;
    let create = async |tx: &mut _, me: &_| organizations::create(tx, me, call, &name, limit).await;
    let created = app.store.create(call, &Me, create).await?;
    Ok(Reply::created(created.map(|organization| OrganizationAnswer { organization })).etag_of_body())
}
