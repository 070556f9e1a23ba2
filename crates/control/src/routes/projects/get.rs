//! Read a project's record.

use api::projects::ProjectAnswer;
use auth::actor::ProjectRead;
use domain::Result;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::projects::ProjectPath;

/// Reads a project's record.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ProjectPath>,
) -> Result<TaggedReply<ProjectAnswer>> {
    let at = &request.path.project_id;
    let project = app.store.read(&request.call, at, async |_, project| Ok(project.record.clone())).await?;
    Ok(Reply::ok(ProjectAnswer { project }).etag_of_body())
}
