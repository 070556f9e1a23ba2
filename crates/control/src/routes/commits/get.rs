//! Read a commit.

use auth::actor::ProjectRead;
use domain::Result;
use domain::object::CommitHash;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::commits;
use wire::{Reply, Request, Tagged};

use crate::app::App;
use crate::routes::commits::CommitAnswer;

/// The path of a commit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Path {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The commit.
    hash: CommitHash,
}

/// Reads a commit of the project, whatever branch it is on.
pub async fn handle(app: App, request: Request<ProjectRead, Path>) -> Result<Tagged<CommitAnswer>> {
    let Path { project_id, hash } = request.path;
    let commit = app
        .store
        .read(&request.call, &project_id, async |tx, project| commits::get(tx, project, hash).await)
        .await?;
    Ok(Reply::ok(CommitAnswer { commit }).etag_of_body())
}
