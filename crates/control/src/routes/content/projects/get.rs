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
    let project = app.store.find(&request.call, at).await?;
    Ok(Reply::ok(ProjectResponse { project: project.record }).etag_of_body())
}
