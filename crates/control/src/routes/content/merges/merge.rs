//! Merge a branch or a commit into a branch.

use api::content::merges::{MergeBranch, MergeRequest, MergeResponse};
use auth::actor::ProjectWrite;
use domain::Result;
use store::content::merges;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::content::branches::branch_of;
use crate::routes::content::merges::MergeRequestOptions;

/// Merges the source's changes since the common ancestor, object by object and field by field. A branch without
/// commits of its own since then moves forward to the source's commit. All conflicts are reported at once; nothing is
/// applied until each has a resolution.
pub async fn handle(app: App, request: Request<ProjectWrite, MergeBranch>) -> Result<Reply<MergeResponse>> {
    let call = &request.call;
    let at = branch_of(&request.path)?;
    let MergeRequest { source, message, expected_head, resolutions, dry_run } = request.body.0;
    let options = MergeRequestOptions { message, expected_head, resolutions, dry_run }.validate()?;
    let merge = merges::merge(&app.store, call, &at, &source, &options).await?;
    Ok(Reply::ok(MergeResponse { merge }))
}
