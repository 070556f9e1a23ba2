//! Read the uncommitted changes of a branch.

use api::content::changes::GetChanges;
use auth::actor::ProjectRead;
use domain::Result;
use domain::content::object::UncommittedChanges;
use store::content::changes::{self, BranchVersion};
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::content::branches::branch_of;

/// Reads the difference between a branch and its head commit.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, GetChanges>,
) -> Result<TaggedReply<UncommittedChanges>> {
    let at = branch_of(&request.path)?;
    let (state, changes) = app
        .store
        .read(&request.call, &at, async |tx, project| {
            Ok((BranchVersion::of(project), changes::get(tx, project).await?))
        })
        .await?;
    Ok(Reply::ok(changes).etag(ETag::of_json(&state)?.into_weak()))
}
