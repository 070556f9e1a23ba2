//! Read a project's record.

use api::projects::ProjectResponse;
use auth::actor::ProjectRead;
use domain::Result;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::projects::ProjectPath;

/// Reads a project's record.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ProjectPath>,
) -> Result<TaggedReply<ProjectResponse>> {
    let at = &request.path.project_id;
    let project = app.store.read(&request.call, at, async |_, project| Ok(project.record.clone())).await?;
    Ok(Reply::ok(ProjectResponse { project }).etag_of_body())
}
