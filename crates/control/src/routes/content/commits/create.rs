//! Commit a branch's changes.

use api::content::commits::{CommitResponse, CreateCommit};
use auth::actor::ProjectWrite;
use domain::Result;
use domain::content::commit::CommitMessage;
use store::content::commits;
use wire::{Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::content::branches::branch_of;

/// Commits all uncommitted changes of a branch in the caller's name.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CreateCommit>,
) -> Result<TaggedCreated<CommitResponse>> {
    let call = &request.call;
    let at = branch_of(&request.path)?;
    let message = CommitMessage::parse("message", request.body.0.message)?;
    let created = app
        .store
        .create_on_branch(call, &at, async |tx, project| commits::create(tx, project, call, &message).await)
        .await?;
    Ok(Reply::created(created.map(|commit| CommitResponse { commit })).etag_of_body())
}
