//! Pin an include to another commit of its package.

use api::content::includes::{IncludeResponse, UpdateInclude};
use auth::actor::ProjectWrite;
use domain::Result;
use store::content::includes;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Pins an include to another commit, uncommitted.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UpdateInclude>,
) -> Result<TaggedReply<IncludeResponse>> {
    let (call, path) = (&request.call, &request.path);
    let commit = request.body.0.commit_hash;
    let expected = request.head.if_match()?;
    let include = app
        .store
        .mutate(call, &path.project_id, async |tx, project| {
            if expected.is_some() {
                let include = includes::hold(tx, project, call, path.include_id).await?;
                wire::check_if_match(expected.as_ref(), &IncludeResponse { include })?;
            }
            includes::pin(tx, project, call, path.include_id, commit).await
        })
        .await?;
    Ok(Reply::ok(IncludeResponse { include }).etag_of_body())
}
