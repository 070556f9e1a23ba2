//! Read a project's record.

use api::content::projects::{GetProject, ProjectResponse};
use auth::actor::ProjectRead;
use domain::Result;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Reads a project's record.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, GetProject>,
) -> Result<TaggedReply<ProjectResponse>> {
    let at = &request.path.project_id;
    let project = app.store.read(&request.call, at, async |_, project| Ok(project.record.clone())).await?;
    Ok(Reply::ok(ProjectResponse { project }).etag_of_body())
}
