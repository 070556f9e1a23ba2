//! Delete a project with everything in it.

use api::content::projects::{DeleteProject, DeleteProjectResponse, ProjectResponse};
use auth::actor::ProjectManage;
use domain::Result;
use store::content::projects;
use wire::{Reply, Request};

use crate::app::App;

/// Deletes a project with its content, its sessions and its files.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, DeleteProject>,
) -> Result<Reply<DeleteProjectResponse>> {
    let call = &request.call;
    let at = &request.path.project_id;
    let expected = request.head.if_match()?;
    let condition = |project| wire::check_if_match(expected.as_ref(), &ProjectResponse { project });
    let sessions = app
        .store
        .mutate(call, at, async |tx, project| projects::delete(tx, project, call, condition).await)
        .await?;
    app.release_sessions(sessions).await;
    Ok(Reply::ok(DeleteProjectResponse { deleted: true, project_id: at.project }))
}
