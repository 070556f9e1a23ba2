//! Read a branch.

use api::content::branches::{BranchResponse, GetBranch};
use auth::actor::ProjectRead;
use domain::Result;
use store::content::branches;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::content::branches::branch_of;

/// Reads a branch: its name, its commit, and whether it has uncommitted changes.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, GetBranch>,
) -> Result<TaggedReply<BranchResponse>> {
    let at = branch_of(&request.path)?;
    let branch =
        app.store.read(&request.call, &at, async |tx, project| branches::get(tx, project).await).await?;
    Ok(Reply::ok(BranchResponse { branch }).etag_of_body())
}
