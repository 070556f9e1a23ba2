//! Merge a branch or a commit into a branch.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::commit::MESSAGE_MAX_CHARS;
use domain::compare::Point;
use domain::object::CommitHash;
use domain::text::Text;
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::merges;
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::branches::BranchPath;
use crate::routes::merges::{MergeAnswer, MergeRequestOptions, ResolutionBody};

/// The source of the merge, and its options.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "MergeRequest")]
pub struct Body {
    /// A branch's name, or a commit's hash.
    source: Point,
    /// Commit message. Defaults to a summary naming both branches. Unused if the branch moves forward.
    #[schemars(extend("format" = "visible-text"))]
    message: Option<Text<MESSAGE_MAX_CHARS>>,
    /// The expected commit of the branch. Defaults to any.
    expected_head: Option<CommitHash>,
    /// Resolutions of conflicts.
    resolutions: Option<Vec<ResolutionBody>>,
    /// Only compute the result.
    dry_run: Option<bool>,
}

/// Merges the source's changes since the common ancestor, object by object and field by field. A branch without
/// commits of its own since then moves forward to the source's commit. All conflicts are reported at once; nothing is
/// applied until each has a resolution.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, BranchPath, NoQuery, Json<Body>>,
) -> Result<Reply<MergeAnswer>> {
    let call = &request.call;
    let at = request.path.resolve()?;
    let Body { source, message, expected_head, resolutions, dry_run } = request.body.0;
    let options = MergeRequestOptions { message, expected_head, resolutions, dry_run }.validate()?;
    let merge = merges::merge(&app.store, call, &at, &source, &options).await?;
    Ok(Reply::ok(MergeAnswer { merge }))
}
