//! Revert a commit.

use api::content::commits::CommitPath;
use api::content::merges::{MergeResponse, RevertCommit, RevertRequest};
use auth::actor::ProjectWrite;
use domain::{Code, Result};
use store::content::merges;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::content::branches::{absent_branch, at_branch};
use crate::routes::content::merges::MergeRequestOptions;

/// Reverts one commit by a new commit of a branch. For a merge, reverts everything that it added to its first parent.
/// Later changes of the same fields conflict, as in a merge.
pub async fn handle(app: App, request: Request<ProjectWrite, RevertCommit>) -> Result<Reply<MergeResponse>> {
    let call = &request.call;
    let CommitPath { project_id, hash } = request.path;
    let body = request.body.map(|body| body.0).unwrap_or_default();
    let RevertRequest { branch, message, expected_head, resolutions, dry_run } = body;
    let at = at_branch(&project_id, branch.as_ref(), "branch")?;
    let options = MergeRequestOptions { message, expected_head, resolutions, dry_run }.validate()?;
    let merge = match merges::revert(&app.store, call, &at, hash, &options).await {
        Err(error) if error.code == Code::NotFound && branch.is_some() => {
            return Err(absent_branch(&app, call, &at, "branch", error).await);
        }
        merge => merge?,
    };
    Ok(Reply::ok(MergeResponse { merge }))
}
