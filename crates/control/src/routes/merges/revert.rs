//! Take back what a commit changed.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::commit::MESSAGE_MAX_CHARS;
use domain::object::CommitHash;
use domain::project::BranchName;
use domain::text::Text;
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::merges;
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::branches::at_branch;
use crate::routes::commits::CommitPath;
use crate::routes::merges::{Asked, MergeAnswer, ResolutionBody};

/// Where, and how; the body may be left out.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RevertRequest")]
pub struct Body {
    /// The branch that gets the new commit; the one that `projectId` names, or the default branch, unless said.
    branch: Option<BranchName>,
    /// What the new commit says; a text that names the reverted one unless said.
    message: Option<Text<MESSAGE_MAX_CHARS>>,
    /// The commit that the branch is expected to be at.
    expected_head: Option<CommitHash>,
    /// How conflicts are decided.
    resolutions: Option<Vec<ResolutionBody>>,
    /// Only say what would come of it.
    dry_run: Option<bool>,
}

/// Takes back what one commit changed, as a new commit of a branch; of a merge, all that it brought to the line of its
/// first parent. What has changed since conflicts, as in a merge.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CommitPath, NoQuery, Option<Json<Body>>>,
) -> Result<Reply<MergeAnswer>> {
    let call = &request.call;
    let CommitPath { project_id, hash } = request.path;
    let body = request.body.map(|body| body.0).unwrap_or_default();
    let Body { branch, message, expected_head, resolutions, dry_run } = body;
    let at = at_branch(&project_id, branch.as_ref(), "branch")?;
    let options = Asked { message, expected_head, resolutions, dry_run }.validate()?;
    let merge = merges::revert(&app.store, call, &at, hash, &options).await?;
    Ok(Reply::ok(MergeAnswer { merge }))
}
