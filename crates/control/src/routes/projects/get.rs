//! Read a project's record.

use auth::actor::ProjectRead;
use domain::Result;
use store::projects;
use wire::{ETag, Reply, Request};

use crate::app::App;
use crate::routes::projects::{ProjectAnswer, ProjectPath};

/// Reads a project's record.
pub async fn handle(app: App, request: Request<ProjectRead, ProjectPath>) -> Result<Reply<ProjectAnswer>> {
    let (project, etag) = app
        .store
        .read(&request.call, &request.path.project_id, async |_, project| {
            Ok((project.record.clone(), ETag::strong(&projects::etag(project))))
        })
        .await?;
    Ok(Reply::ok(ProjectAnswer { project }).etag(etag))
}
