//! Create an organization.

use api::people::organizations::{CreateOrganization, OrganizationResponse};
use auth::actor::BrowserOnly;
use domain::Result;
use store::Me;
use store::people::organizations;
use wire::{Reply, Request, TaggedCreated};

use crate::app::App;

/// Creates an organization with the caller as its owner.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, CreateOrganization>,
) -> Result<TaggedCreated<OrganizationResponse>> {
    let (call, name) = (&request.call, request.body.0.name);
    let limit = app.bounds.organizations_per_user;
    let create = async |tx: &mut _, me: &_| organizations::create(tx, me, call, &name, limit).await;
    let created = app.store.create(call, &Me, create).await?;
    Ok(Reply::created(created.map(|organization| OrganizationResponse { organization })).etag_of_body())
}
