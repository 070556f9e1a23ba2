//! Delete a branch.

use api::content::branches::{BranchResponse, DeleteBranch, DeleteBranchResponse};
use auth::actor::ProjectWrite;
use domain::Result;
use futures_util::future::join_all;
use store::content::branches;
use store::work::runs;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::content::branches::branch_of;

/// Deletes a branch with its uncommitted changes, and closes its sessions. Its commits stay. The default branch can't be
/// deleted.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, DeleteBranch>,
) -> Result<Reply<DeleteBranchResponse>> {
    let call = &request.call;
    let at = branch_of(&request.path)?;
    let expected = request.head.if_match()?;
    let condition = |branch| wire::check_if_match(expected.as_ref(), &BranchResponse { branch });
    // Their processes store the models' partial answers and their cost.
    let runs = app.store.read(call, &at, async |tx, project| runs::on_branch(tx, project).await).await?;
    join_all(runs.into_iter().map(|(run, process)| app.jobs.stop(run, process))).await;
    let closed = app
        .store
        .mutate(call, &at, async |tx, project| branches::delete(tx, project, call, condition).await)
        .await?;
    app.release_sessions(closed).await;
    Ok(Reply::ok(DeleteBranchResponse { deleted: true, branch: request.path.branch }))
}
