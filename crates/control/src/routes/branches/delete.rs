//! Delete a branch.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::project::BranchName;
use schemars::JsonSchema;
use serde::Serialize;
use store::content::branches;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::branches::BranchPath;

/// The result of the deletion.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeleteBranchResponse")]
pub struct Answer {
    deleted: bool,
    /// The branch's name.
    branch: BranchName,
}

/// Deletes a branch with its uncommitted changes. Its commits stay. The default branch can't be deleted.
pub async fn handle(app: App, request: Request<ProjectWrite, BranchPath>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let at = request.path.resolve()?;
    app.store.mutate(call, &at, async |tx, project| branches::delete(tx, project, call).await).await?;
    Ok(Reply::ok(Answer { deleted: true, branch: request.path.branch }))
}
