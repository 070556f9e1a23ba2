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
use crate::routes::merges::{Asked, MergeAnswer, ResolutionBody};

/// What to merge, and how.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "MergeRequest")]
pub struct Body {
    /// A branch's name, or a commit's hash.
    source: Point,
    /// What the merge says; a text that names the two unless said. Nothing says it where the branch moves forward.
    message: Option<Text<MESSAGE_MAX_CHARS>>,
    /// The commit that the branch is expected to be at; it is merged into whatever it is at unless said.
    expected_head: Option<CommitHash>,
    /// How conflicts are decided.
    resolutions: Option<Vec<ResolutionBody>>,
    /// Only say what would come of it.
    dry_run: Option<bool>,
}

/// Merges, object by object and field by field, what the source has changed since the two have gone apart. Where the
/// branch has no commit of its own since, it moves forward to the source's. Everything that conflicts is told at once,
/// and nothing is applied until all of it is decided.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, BranchPath, NoQuery, Json<Body>>,
) -> Result<Reply<MergeAnswer>> {
    let call = &request.call;
    let at = request.path.resolve()?;
    let Body { source, message, expected_head, resolutions, dry_run } = request.body.0;
    let options = Asked { message, expected_head, resolutions, dry_run }.validate()?;
    let merge = merges::merge(&app.store, call, &at, &source, &options).await?;
    Ok(Reply::ok(MergeAnswer { merge }))
}
