//! List the caller's organizations.

use auth::actor::Authenticated;
use domain::Result;
use domain::organization::OrganizationRecord;
use schemars::JsonSchema;
use serde::Serialize;
use store::{Me, organizations};
use wire::{Reply, Request};

use crate::app::App;

/// Organizations, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListOrganizationsResponse")]
pub struct Answer {
    organizations: Vec<OrganizationRecord>,
}

/// Lists the organizations of which the caller is a member, by name.
pub async fn handle(app: App, request: Request<Authenticated>) -> Result<Reply<Answer>> {
    let organizations =
        app.store.read(&request.call, &Me, async |tx, me| organizations::list(tx, me).await).await?;
    Ok(Reply::ok(Answer { organizations }))
}
