//! Read a commit.

use auth::actor::ProjectRead;
use domain::Result;
use store::content::commits;
use wire::{Reply, Request, Tagged};

use crate::app::App;
use crate::routes::commits::{CommitAnswer, CommitPath};

/// Reads a commit of the project, whatever branch it is on.
pub async fn handle(app: App, request: Request<ProjectRead, CommitPath>) -> Result<Tagged<CommitAnswer>> {
    let CommitPath { project_id, hash } = request.path;
    let commit = app
        .store
        .read(&request.call, &project_id, async |tx, project| commits::get(tx, project, hash).await)
        .await?;
    Ok(Reply::ok(CommitAnswer { commit }).etag_of_body())
}
