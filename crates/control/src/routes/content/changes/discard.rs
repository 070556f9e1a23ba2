//! Discard uncommitted changes.

use api::content::changes::{DiscardChanges, DiscardChangesResponse};
use auth::actor::ProjectWrite;
use domain::error::Location;
use domain::id::ObjectId;
use domain::{Error, Result, Rule};
use store::content::changes::{self, BranchVersion};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::content::branches::branch_of;

/// Maximum number of objects in a request.
const MAX_OBJECTS: usize = 100;

/// Restores a branch, or some of its objects, to its commit. An object is not restored alone if another would lose its
/// parent, or if its own parent would be missing.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, DiscardChanges>,
) -> Result<Reply<DiscardChangesResponse>> {
    let (call, at) = (&request.call, branch_of(&request.path)?);
    let objects = request.query.object_ids.as_deref().map(ids).transpose()?;
    let objects = objects.as_deref();
    let expected = request.head.if_match()?;
    let condition = |state: &BranchVersion| wire::check_if_match(expected.as_ref(), state);
    let discarded_count = app
        .store
        .mutate(call, &at, async |tx, project| changes::discard(tx, project, call, objects, condition).await)
        .await?;
    Ok(Reply::ok(DiscardChangesResponse { deleted: true, branch: request.path.branch, discarded_count }))
}

fn ids(text: &str) -> Result<Vec<ObjectId>> {
    let ids: Result<Vec<ObjectId>, _> = text.split(',').map(str::parse).collect();
    let ids = ids.map_err(|_| {
        Error::invalid("objectIds", Rule::format("uuid-list"), "must be ids of objects, separated by commas")
            .at(Location::Query)
    })?;
    if ids.len() > MAX_OBJECTS {
        return Err(Error::broken("objectIds", Rule::MaxItems(MAX_OBJECTS)).at(Location::Query));
    }
    Ok(ids)
}
