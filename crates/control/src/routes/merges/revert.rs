//! Revert a commit.

use auth::actor::ProjectWrite;
use domain::commit::MESSAGE_MAX_CHARS;
use domain::object::CommitHash;
use domain::project::BranchName;
use domain::text::Text;
use domain::{Code, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::merges;
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::branches::{absent_branch, at_branch};
use crate::routes::commits::CommitPath;
use crate::routes::merges::{MergeAnswer, MergeRequestOptions, ResolutionBody};

/// The target branch and the options; the body is optional.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RevertRequest")]
pub struct Body {
    /// The branch that gets the new commit. Defaults to the branch that `projectId` names, or to the default branch.
    branch: Option<BranchName>,
    /// Commit message. Defaults to a summary naming the reverted commit.
    #[schemars(extend("format" = "visible-text"))]
    message: Option<Text<MESSAGE_MAX_CHARS>>,
    /// The expected commit of the branch. Defaults to any.
    expected_head: Option<CommitHash>,
    /// Resolutions of conflicts.
    resolutions: Option<Vec<ResolutionBody>>,
    /// Only compute the result.
    dry_run: Option<bool>,
}

/// Reverts one commit by a new commit of a branch. For a merge, reverts everything that it added to its first parent.
/// Later changes of the same fields conflict, as in a merge.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CommitPath, NoQuery, Option<Json<Body>>>,
) -> Result<Reply<MergeAnswer>> {
    let call = &request.call;
    let CommitPath { project_id, hash } = request.path;
    let body = request.body.map(|body| body.0).unwrap_or_default();
    let Body { branch, message, expected_head, resolutions, dry_run } = body;
    let at = at_branch(&project_id, branch.as_ref(), "branch")?;
    let options = MergeRequestOptions { message, expected_head, resolutions, dry_run }.validate()?;
    let merge = match merges::revert(&app.store, call, &at, hash, &options).await {
        Err(error) if error.code == Code::NotFound && branch.is_some() => {
            return Err(absent_branch(&app, call, &at, "branch", error).await);
        }
        merge => merge?,
    };
    Ok(Reply::ok(MergeAnswer { merge }))
}
