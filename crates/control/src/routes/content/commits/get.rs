//! Read a commit.

use api::content::commits::{CommitPath, CommitResponse, GetCommit};
use auth::actor::ProjectRead;
use domain::Result;
use store::content::commits;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Reads a commit of the project, on any branch.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, GetCommit>,
) -> Result<TaggedReply<CommitResponse>> {
    let CommitPath { project_id, hash } = request.path;
    let commit = app
        .store
        .read(&request.call, &project_id, async |tx, project| commits::get(tx, project, hash).await)
        .await?;
    Ok(Reply::ok(CommitResponse { commit }).etag_of_body())
}
